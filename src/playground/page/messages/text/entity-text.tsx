import type { MessageEntity } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { CodeBlock } from './code-block.tsx'
import { DateTime } from './date-time-text.tsx'
import { Expandable } from './expandable.tsx'
import { CommandLink, Link } from './links.tsx'
import { nestEntities, type TextNode, trimAroundBlocks } from './nest-entities.ts'
import { Spoiler } from './spoiler.tsx'

/** A text with its entities, as a reader sees it. */
export function EntityText({
  text,
  entities = [],
}: {
  text: string
  entities?: readonly MessageEntity[] | undefined
}) {
  return <Nodes nodes={nestEntities(text, entities)} />
}

function Nodes({ nodes }: { nodes: readonly TextNode[] }) {
  return (
    <>
      {trimAroundBlocks(nodes).map((node, index) =>
        typeof node === 'string' ? (
          node
        ) : (
          <Entity key={index} entity={node.entity} source={sourceOf(node)}>
            <Nodes nodes={node.inside} />
          </Entity>
        ),
      )}
    </>
  )
}

interface EntityProps {
  entity: MessageEntity
  source: string
  children: ComponentChildren
}

function Entity({ entity, source, children }: EntityProps) {
  switch (entity.type) {
    case 'bold':
      return <b>{children}</b>
    case 'italic':
      return <i>{children}</i>
    case 'underline':
      return <u>{children}</u>
    case 'strikethrough':
      return <s>{children}</s>
    case 'spoiler':
      return <Spoiler>{children}</Spoiler>
    case 'code':
      return <code>{children}</code>
    case 'pre':
      return <CodeBlock language={entity.language}>{children}</CodeBlock>
    case 'blockquote':
      return <blockquote class="quotation">{children}</blockquote>
    case 'expandable_blockquote':
      return (
        <blockquote class="quotation">
          <Expandable>{children}</Expandable>
        </blockquote>
      )
    case 'url':
      return <Link address={source}>{children}</Link>
    case 'text_link':
      return <Link address={entity.url}>{children}</Link>
    case 'email':
      return <Link address={`mailto:${source}`}>{children}</Link>
    case 'phone_number':
      return <Link address={`tel:${source}`}>{children}</Link>
    case 'bot_command':
      return <CommandLink command={source}>{children}</CommandLink>
    case 'date_time':
      return (
        <DateTime unixTime={entity.unix_time} format={entity.date_time_format}>
          {children}
        </DateTime>
      )
    case 'mention':
    case 'text_mention':
    case 'hashtag':
    case 'cashtag':
      return <span class="named">{children}</span>
    default:
      // A custom emoji shows as the one it stands for; what this page does not know, as plain text.
      return <>{children}</>
  }
}

function sourceOf(node: TextNode): string {
  return typeof node === 'string' ? node : node.inside.map(sourceOf).join('')
}
