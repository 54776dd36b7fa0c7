import type { MessageEntity, RichTextDateTime } from 'grammy/types'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { toSafeUrl } from '../links.ts'
import { attempt } from '../parts/notices.tsx'
import { act } from '../state/request.ts'
import { language, words } from '../words/language.ts'
import { nestEntities, type TextNode, trimAroundBlocks } from './entities.ts'

export const FORMATS: Readonly<Record<string, 'b' | 'i' | 'u' | 's' | 'code'>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
}

export interface MessageScope {
  chatId: number
  /** 0 outside of topics. */
  threadId: number
  messageId: number
}

const Scope = createContext<MessageScope | undefined>(undefined)

export const MessageScopeProvider = Scope.Provider

export function useMessageScope(): MessageScope {
  const scope = useContext(Scope)
  if (scope === undefined) throw new Error('Cannot act on message: there is none around')
  return scope
}

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

function Entity(props: { entity: MessageEntity; source: string; children: ComponentChildren }) {
  const { entity, source, children } = props
  const Tag = FORMATS[entity.type]
  if (Tag !== undefined) return <Tag>{children}</Tag>
  switch (entity.type) {
    case 'mention':
    case 'text_mention':
      return <span class="named">{children}</span>
    case 'pre':
      return <CodeBlock language={entity.language}>{children}</CodeBlock>
    case 'blockquote':
      return <blockquote class="quotation">{children}</blockquote>
    case 'url':
      return <Link address={source}>{children}</Link>
    case 'text_link':
      return <Link address={entity.url}>{children}</Link>
    case 'bot_command':
      return <CommandLink command={source}>{children}</CommandLink>
    case 'date_time':
      return (
        <DateTime unixTime={entity.unix_time} format={entity.date_time_format}>
          {children}
        </DateTime>
      )
    default:
      return <>{children}</>
  }
}

function sourceOf(node: TextNode): string {
  return typeof node === 'string' ? node : node.inside.map(sourceOf).join('')
}

/** Shows a link in a new tab; only its words if its address must not be opened. */
export function Link({ address, children }: { address: string; children: ComponentChildren }) {
  const url = toSafeUrl(address)
  if (url === undefined) return <span class="named">{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {children}
    </a>
  )
}

function CommandLink(props: { command: string; children: ComponentChildren }) {
  const { command, children } = props
  const { chatId, threadId } = useMessageScope()
  const body = { text: command, ...(threadId !== 0 && { thread_id: threadId }) }
  return (
    <button
      type="button"
      class="word-link"
      title={words.value.message.sendThis(command)}
      onClick={() => void attempt(() => act('/chats/:id/messages', body, chatId))}
    >
      {children}
    </button>
  )
}

/** Shows a moment in the language and time zone of the reader, by its letters: `d`, `D` date; `t`, `T` time; `w` weekday. */
export function DateTime(props: {
  unixTime: number
  format: RichTextDateTime['date_time_format']
  children: ComponentChildren
}) {
  const at = new Date(props.unixTime * 1000)
  // A browser cannot format a date beyond its range: the author's words remain.
  if (Number.isNaN(at.getTime())) return <>{props.children}</>
  const has = (letter: string) => props.format.includes(letter)
  const options: Intl.DateTimeFormatOptions = {
    ...(has('w') && { weekday: has('d') ? 'short' : 'long' }),
    ...(has('d') && { day: '2-digit', month: '2-digit', year: '2-digit' }),
    ...(has('D') && { day: 'numeric', month: 'long', year: 'numeric' }),
    ...((has('t') || has('T')) && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    ...(has('T') && { second: '2-digit' }),
  }
  return (
    <time class="named" dateTime={at.toISOString()} title={at.toLocaleString(language.value)}>
      {Object.keys(options).length === 0
        ? props.children
        : new Intl.DateTimeFormat(language.value, options).format(at)}
    </time>
  )
}

const COPIED_MS = 2_000

export function CodeBlock(props: { language: string | undefined; children: ComponentChildren }) {
  const code = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState<boolean | undefined>()
  useEffect(() => {
    if (isCopied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const { code: label, copy, copyCode, copied, notCopied } = words.value.message
  const shown = isCopied === undefined ? copy : isCopied ? copied : notCopied
  return (
    <figure class="code">
      <figcaption class="code-header row hint small">
        <span class="cut">{props.language || label}</span>
        <button
          type="button"
          class="code-copy"
          aria-label={isCopied === undefined ? copyCode : shown}
          onClick={() => void copyText(code.current?.textContent ?? '').then(setCopied)}
        >
          <span aria-live="polite">{shown}</span>
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrolled by keyboard as well. */}
      <pre tabIndex={0}>
        <code ref={code}>{props.children}</code>
      </pre>
    </figure>
  )
}

/** Copies a text to the clipboard. Resolves to false if the browser refuses: only https and loopback pages may. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
