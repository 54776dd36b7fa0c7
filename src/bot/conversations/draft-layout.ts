import { isRightToLeft } from '../rich-text/characters.ts'
import { type FormattedText, formatMarkdown, splitFormatted } from '../rich-text/entities.ts'
import {
  type LayoutOptions,
  layOutMarkdown,
  NOTHING_YET,
  type RichLayout,
  type RichPart,
} from '../rich-text/layout.ts'
import { writeTextLines } from '../rich-text/write-inline.ts'
import type { MessageFormat } from '../telegram/formatting.ts'
import { type Body, MESSAGE_CHARS_MAX } from '../telegram/message.ts'

export interface ReplyText {
  text: string
  notes?: readonly string[] | undefined
  /** The length of the beginning that is left out, because the chat shows it. 0 by default. */
  from?: number | undefined
}

export interface ReplyPart {
  /** The length of the model's text up to the end of this message. */
  end: number
  body: Body
}

/** Leaves room for the note above a message that may be a duplicate. */
const TEXT_CHARS_MAX = MESSAGE_CHARS_MAX - 96
/** A little less than fits: bullets and the columns of tables need more than their Markdown. */
const TEXT_PART_CHARS = 3000
const PART_CHARS: Readonly<Record<MessageFormat, Pick<LayoutOptions, 'partChars' | 'plainChars'>>> =
  {
    rich: {},
    auto: { plainChars: TEXT_PART_CHARS },
    entities: { partChars: TEXT_PART_CHARS },
    none: { partChars: TEXT_PART_CHARS },
  }

const GOES_ON = '…\n'
const GAP = '\n\n'

const NO_NOTES: readonly string[] = []

interface Look {
  formatting: MessageFormat
  isInterim: boolean
}

/**
 * Lays out a growing reply in messages. Only the last message changes, unless its formatting does.
 *
 * A plain message whose content comes to need that becomes a rich one in place. A blank reply has no part.
 */
export function createReplyLayout(): (reply: ReplyText, look: Look) => readonly ReplyPart[] {
  let layout: RichLayout | undefined
  let last: (Look & ReplyText & { parts: readonly ReplyPart[] }) | undefined
  const settled = new WeakMap<RichPart, readonly ReplyPart[]>()
  return layOut

  function layOut(
    { text, notes = NO_NOTES, from = 0 }: ReplyText,
    look: Look,
  ): readonly ReplyPart[] {
    const { formatting, isInterim } = look
    if (last?.formatting !== formatting) layout = undefined
    const isSame =
      last?.text === text &&
      last.notes === notes &&
      last.from === from &&
      last.formatting === formatting &&
      last.isInterim === isInterim
    if (last !== undefined && isSame) return last.parts
    layout = layOutMarkdown(text, { after: layout, isInterim, ...PART_CHARS[formatting] })
    const lastIndex = layout.parts.length - 1
    const how = { formatting, isRtl: isRightToLeft(text) }
    const formatted = layout.parts.flatMap((part, index) => {
      if (from > 0 && part.end <= from) return []
      if (index < lastIndex) return settle(part, how)
      const isNothing = isInterim && part.markdown === NOTHING_YET
      return isNothing ? [] : toParts(part, how, notes)
    })
    if (formatted.length === 0 && notes.length > 0) {
      formatted.push(...toParts({ start: 0, end: 0, markdown: '', needs: [] }, how, notes))
    }
    const parts = formatting === 'none' ? formatted.map(withoutEntities) : formatted
    last = { text, notes, from, formatting, isInterim, parts }
    return parts
  }

  function settle(part: RichPart, how: Rendering): readonly ReplyPart[] {
    const parts = settled.get(part) ?? toParts(part, how, NO_NOTES)
    settled.set(part, parts)
    return parts
  }
}

interface Rendering {
  formatting: MessageFormat
  isRtl: boolean
}

function toParts(
  { start, end, markdown, needs }: RichPart,
  { formatting, isRtl }: Rendering,
  notes: readonly string[],
): readonly ReplyPart[] {
  const rich = { markdown: addNotes(markdown, notes), ...(isRtl && { isRtl }) }
  const isAuto = formatting === 'auto'
  if (formatting === 'rich' || (isAuto && needs.length > 0)) return [{ end, body: rich }]
  const whole = addNotesToText(formatMarkdown(markdown), notes)
  const pieces = splitFormatted(whole, { charsMax: TEXT_CHARS_MAX })
  // It has more formatting than a text may have: one message stays one.
  if (isAuto && pieces.length > 1) return [{ end, body: rich }]
  return pieces.map((body, index) => ({
    end: index === pieces.length - 1 ? end : start,
    body,
  }))
}

/** Keeps blanks at the beginning, which may indent code: Telegram cuts them off unless they are formatted. */
function withoutEntities({ end, body }: ReplyPart): ReplyPart {
  if (!('text' in body)) return { end, body }
  const { text } = body
  return { end, body: { text: /^\s/.test(text) ? `${GOES_ON}${text}` : text } }
}

export function withNoteAbove(body: Body, note: string): Body {
  if ('markdown' in body) {
    return { ...body, markdown: `${writeTextLines(note)}${GAP}${body.markdown}` }
  }
  const shift = note.length + GAP.length
  const entities = body.entities?.map((entity) => ({ ...entity, offset: entity.offset + shift }))
  return { text: `${note}${GAP}${body.text}`, ...(entities && { entities }) }
}

/** Escapes the notes: none of their characters is read as Markdown. */
function addNotes(markdown: string, notes: readonly string[]): string {
  const paragraphs = notes.flatMap((note) => note.split(GAP)).map(writeTextLines)
  return [...(markdown === '' ? [] : [markdown]), ...paragraphs].join(GAP)
}

function addNotesToText(
  { text, entities }: FormattedText,
  notes: readonly string[],
): FormattedText {
  return { text: [...(text === '' ? [] : [text]), ...notes].join(GAP), entities }
}
