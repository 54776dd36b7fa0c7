import type { RichText as Text } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { DateTime } from '../text/date-time-text.tsx'
import { CommandLink, Link } from '../text/links.tsx'
import { Spoiler } from '../text/spoiler.tsx'
import { goToAnchor } from './anchors.ts'
import { Formula } from './formula.tsx'
import { RichButton } from './message-button.tsx'

/** The text of a rich message, as a reader sees it. */
export function RichText({ text }: { text: Text | undefined }) {
  if (text === undefined || typeof text === 'string') return <>{text}</>
  if (Array.isArray(text)) {
    return (
      <>
        {text.map((part, index) => (
          <RichText key={index} text={part} />
        ))}
      </>
    )
  }
  return <LookedText text={text} />
}

type Looked = Exclude<Text, string | Text[]>

function LookedText({ text }: { text: Looked }) {
  switch (text.type) {
    case 'custom_emoji':
      return <>{text.alternative_text}</>
    case 'mathematical_expression':
      return <Formula expression={text.expression} isBlock={false} />
    case 'button':
      return (
        <RichButton button={text.button} isInText>
          <RichText text={text.button.text} />
        </RichButton>
      )
    case 'anchor':
      return <span data-anchor={text.name} />
    default:
      return <Wrapped text={text} />
  }
}

type WrappedText = Extract<Looked, { text: Text }>

function Wrapped({ text }: { text: WrappedText }) {
  const inside = <RichText text={text.text} />
  switch (text.type) {
    case 'bold':
      return <b>{inside}</b>
    case 'italic':
      return <i>{inside}</i>
    case 'underline':
      return <u>{inside}</u>
    case 'strikethrough':
      return <s>{inside}</s>
    case 'spoiler':
      return <Spoiler>{inside}</Spoiler>
    case 'subscript':
      return <sub>{inside}</sub>
    case 'superscript':
      return <sup>{inside}</sup>
    case 'marked':
      return <mark>{inside}</mark>
    case 'code':
      return <code>{inside}</code>
    case 'date_time':
      return (
        <DateTime unixTime={text.unix_time} format={text.date_time_format}>
          {inside}
        </DateTime>
      )
    case 'url':
      return <Link address={text.url}>{inside}</Link>
    case 'email_address':
      return <Link address={`mailto:${text.email_address}`}>{inside}</Link>
    case 'phone_number':
      return <Link address={`tel:${text.phone_number}`}>{inside}</Link>
    case 'bot_command':
      return <CommandLink command={text.bot_command}>{inside}</CommandLink>
    case 'anchor_link':
      return <AnchorLink name={text.anchor_name}>{inside}</AnchorLink>
    case 'reference_link':
      return (
        <sup>
          <AnchorLink name={text.reference_name}>{inside}</AnchorLink>
        </sup>
      )
    case 'reference':
      return (
        <span class="footnote" data-anchor={text.name}>
          <sup class="hint">{text.name}</sup> {inside}
        </span>
      )
    case 'mention':
    case 'text_mention':
    case 'hashtag':
    case 'cashtag':
    case 'bank_card_number':
      return <span class="named">{inside}</span>
    default:
      // What this page does not know yet, as plain text.
      return inside
  }
}

function AnchorLink({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <button
      type="button"
      class="word-link"
      onClick={(event) => goToAnchor(event.currentTarget, name)}
    >
      {children}
    </button>
  )
}
