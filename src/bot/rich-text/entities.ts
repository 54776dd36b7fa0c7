import type { MessageEntity } from 'grammy/types'
import type { List, ListItem, RootContent } from 'mdast'
import { isAcceptedUrl } from './links.ts'
import { parseMarkdown } from './parse.ts'
import { toColumns } from './tables.ts'
import { type Inline, type InlineSpan, pairTags, readDetails } from './tags.ts'

/** A text with its formatting, in UTF-16 units. */
export interface FormattedText {
  text: string
  entities: MessageEntity[]
}

/** A kind of formatting with its parameters. */
type EntityFormat =
  | { type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'blockquote' }
  | { type: 'pre'; language?: string }
  | { type: 'text_link'; url: string }

const LINE = '———'
const FORMATS: Partial<Record<InlineSpan['type'], EntityFormat>> = {
  strong: { type: 'bold' },
  emphasis: { type: 'italic' },
  delete: { type: 'strikethrough' },
  u: { type: 'underline' },
  ins: { type: 'underline' },
  code: { type: 'code' },
}

/**
 * Turns Telegram's Markdown into a text with entities, which every app shows: headings become bold, tables stand in
 * columns, formulas as their source, items get bullets.
 */
export function formatMarkdown(markdown: string): FormattedText {
  return formatBlocks(parseMarkdown(markdown, { isFromModel: false }).children)
}

/** Formats blocks with what a plain message can show, a blank line between them. */
export function formatBlocks(nodes: readonly RootContent[]): FormattedText {
  return joinShown(nodes.map(formatBlock), '\n\n')
}

function formatBlock(node: RootContent): FormattedText {
  switch (node.type) {
    case 'paragraph':
      return formatInline(node.children)
    case 'heading':
      return format(formatInline(node.children), { type: 'bold' })
    case 'code':
      return format(plain(node.value), { type: 'pre', ...(node.lang && { language: node.lang }) })
    case 'math':
      return format(plain(node.value), { type: 'pre', language: 'latex' })
    case 'list':
      return formatList(node)
    case 'blockquote':
      return formatQuote(formatBlocks(node.children))
    case 'table': {
      const rows = node.children.map((row) =>
        row.children.map(({ children }) => formatInline(children).text),
      )
      return format(plain(toColumns(rows, node.align)), { type: 'pre' })
    }
    case 'thematicBreak':
      return plain(LINE)
    case 'html':
      return formatHtml(node.value)
    case 'definition':
      return plain(`[${node.label ?? node.identifier}]: ${node.url}`)
    case 'footnoteDefinition':
      return join([plain(`[^${node.label ?? node.identifier}]: `), formatBlocks(node.children)])
    default:
      return plain('')
  }
}

function formatHtml(html: string): FormattedText {
  const tokens = readDetails(html)
  if (tokens.length === 0) return plain(html)
  const parts = tokens.map((token) => {
    if (token.type === 'close') return plain('')
    if (token.type === 'content') return formatMarkdown(token.markdown)
    return format(formatMarkdown(token.summary), { type: 'bold' })
  })
  return joinShown(parts, '\n\n')
}

function formatList(list: List): FormattedText {
  const items = list.children.map((item, index) =>
    formatItem(item, list.ordered ? `${(list.start ?? 1) + index}. ` : '• '),
  )
  return joinShown(items, '\n')
}

function formatItem({ children, checked }: ListItem, marker: string): FormattedText {
  const sign = typeof checked === 'boolean' ? (checked ? '☑ ' : '☐ ') : marker
  const [first, ...rest] = children
  const head = join([plain(sign), first ? formatBlock(first) : plain('')])
  return joinShown([head, ...rest.map((node) => indent(formatBlock(node)))], '\n')
}

function indent(block: FormattedText): FormattedText {
  const isPre = block.entities.some(({ type }) => type === 'pre')
  if (isPre || block.text === '') return block
  let start = 0
  const lines = block.text.split('\n').map(({ length }) => {
    const line = join([plain('  '), slice(block, start, start + length)])
    start += length + 1
    return line
  })
  return join(lines, '\n')
}

/** Telegram allows no quote in a quote. */
function formatQuote({ text, entities }: FormattedText): FormattedText {
  const inside = entities.filter(({ type }) => type !== 'blockquote')
  return format({ text, entities: inside }, { type: 'blockquote' })
}

/** Formats inline content with what a plain message can show. */
export function formatInline(nodes: readonly Inline[]): FormattedText {
  return join(pairTags(nodes, { closesOpen: false }).map(formatNode))
}

function formatNode(node: Inline): FormattedText {
  switch (node.type) {
    case 'text':
    case 'html':
      return plain(node.value)
    case 'inlineCode':
    case 'inlineMath':
      return format(plain(node.value), { type: 'code' })
    case 'break':
      return plain('\n')
    case 'link':
      return formatLink(formatInline(node.children), node.url)
    case 'image':
      return formatLink(plain(node.alt ?? ''), node.url)
    case 'linkReference':
      return formatInline(node.children)
    case 'imageReference':
      return plain(node.alt ?? '')
    case 'footnoteReference':
      return plain(`[^${node.label ?? node.identifier}]`)
    default:
      return formatSpan(node)
  }
}

function formatSpan({ type, children }: InlineSpan): FormattedText {
  const inside = formatInline(children)
  if (type === 'sup') return plain(shift(inside.text, RAISED, '^'))
  if (type === 'sub') return plain(shift(inside.text, LOWERED, '_'))
  const formatting = FORMATS[type]
  // Telegram allows no formatting inside code.
  const shown = type === 'code' ? plain(inside.text) : inside
  return formatting ? format(shown, formatting) : shown
}

function formatLink(inside: FormattedText, url: string): FormattedText {
  if (url === '') return inside
  const shown = inside.text.trim() === '' ? plain(url) : inside
  if (isAcceptedUrl(url)) return format(shown, { type: 'text_link', url })
  return shown.text === url ? shown : join([shown, plain(` (${url})`)])
}

const RAISED = toMap(
  "0123456789+-−=()abcdefghijklmnoprstuvwxyzTNMKAB'′°∘",
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᴺᴹᴷᴬᴮ′′°°',
)
const LOWERED = toMap(
  '0123456789+-−=()aehijklmnoprstuvxβγρφχ',
  '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ',
)

function toMap(plainSigns: string, signs: string): ReadonlyMap<string, string> {
  return new Map([...plainSigns].map((sign, index) => [sign, [...signs][index] ?? sign]))
}

function shift(text: string, signs: ReadonlyMap<string, string>, mark: string): string {
  const written = [...text.replaceAll(' ', '')].map((character) => signs.get(character))
  if (written.every((sign) => sign !== undefined)) return written.join('')
  return [...text].length === 1 ? `${mark}${text}` : `${mark}(${text})`
}

function plain(text: string): FormattedText {
  return { text, entities: [] }
}

/** Formats a text as a whole, around the formatting it has. A blank text stays as it is. */
function format({ text, entities }: FormattedText, formatting: EntityFormat): FormattedText {
  if (text.trim() === '') return { text, entities }
  return { text, entities: [{ ...formatting, offset: 0, length: text.length }, ...entities] }
}

function joinShown(parts: readonly FormattedText[], separator: string): FormattedText {
  const shown = parts.filter(({ text }) => text.trim() !== '')
  return join(shown, separator)
}

function join(parts: readonly FormattedText[], separator = ''): FormattedText {
  let text = ''
  const entities: MessageEntity[] = []
  for (const [index, part] of parts.entries()) {
    if (index > 0) text += separator
    const offset = text.length
    text += part.text
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + offset })
  }
  return { text, entities }
}

/** Cuts a stretch out. Formatting that reaches beyond it extends to its ends. */
export function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const inside = entities.flatMap((entity) => {
    const start = Math.max(entity.offset, from)
    const length = Math.min(entity.offset + entity.length, to) - start
    return length > 0 ? [{ ...entity, offset: start - from, length }] : []
  })
  return { text: text.slice(from, to), entities: inside }
}
