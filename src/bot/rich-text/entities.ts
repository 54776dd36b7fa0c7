import type { MessageEntity } from 'grammy/types'
import type { List, ListItem, RootContent } from 'mdast'
import { characterStart, skipBlankLines } from './characters.ts'
import { isAcceptedUrl } from './links.ts'
import { parseMarkdown } from './parse.ts'
import { toColumns } from './tables.ts'
import { type Inline, type InlineSpan, type Phrasing, pairTags, readDetails } from './tags.ts'

/** A text with its formatting, in UTF-16 units. */
export interface FormattedText {
  text: string
  entities: MessageEntity[]
}

type EntityFormat =
  | { type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'blockquote' }
  | { type: 'pre'; language?: string }
  | { type: 'text_link'; url: string }

const LINE = '———'
const INDENT = '  '
const FORMATS: Partial<Record<InlineSpan['type'], EntityFormat>> = {
  strong: { type: 'bold' },
  emphasis: { type: 'italic' },
  delete: { type: 'strikethrough' },
  u: { type: 'underline' },
  ins: { type: 'underline' },
  code: { type: 'code' },
}

/**
 * Turns Telegram's Markdown into a text with entities, which every app can show.
 *
 * Headings become bold, tables columns, formulas their source, items bullets.
 */
export function formatMarkdown(markdown: string): FormattedText {
  return formatBlocks(parseMarkdown(markdown, { isFromModel: false }).children)
}

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

function indent({ text, entities }: FormattedText): FormattedText {
  if (entities.some(({ type }) => type === 'pre') || text === '') return { text, entities }
  const move = (at: number) => at + INDENT.length * text.slice(0, at).split('\n').length
  const moved = entities.map((entity) => {
    const offset = move(entity.offset)
    return { ...entity, offset, length: move(entity.offset + entity.length) - offset }
  })
  return { text: text.replaceAll(/^/gm, INDENT), entities: moved }
}

/** Telegram allows no quote in a quote. */
function formatQuote({ text, entities }: FormattedText): FormattedText {
  const inside = entities.filter(({ type }) => type !== 'blockquote')
  return format({ text, entities: inside }, { type: 'blockquote' })
}

function formatInline(nodes: readonly Phrasing[]): FormattedText {
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

/** Formats a whole text around its own formatting. A blank text stays as it is. */
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

function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const inside = entities.flatMap((entity) => {
    const start = Math.max(entity.offset, from)
    const length = Math.min(entity.offset + entity.length, to) - start
    return length > 0 ? [{ ...entity, offset: start - from, length }] : []
  })
  return { text: text.slice(from, to), entities: inside }
}

/** Telegram drops formatting beyond this number. */
const ENTITIES_MAX = 100

/**
 * Cuts a text with its formatting into messages, between paragraphs, else lines, else words.
 *
 * Cut formatting continues in the next message, and so do blanks in code, except for one line end. Only the text before
 * and right after a cut decides its place: while a text grows only its last part changes.
 *
 * @returns No part for a blank text.
 */
export function splitFormatted(
  { text, entities }: FormattedText,
  { charsMax }: { charsMax: number },
): FormattedText[] {
  const sorted = { text, entities: entities.toSorted((a, b) => a.offset - b.offset) }
  const parts: FormattedText[] = []
  let start = startAfter(0, sorted)
  while (start < text.length) {
    const end = chooseEnd(sorted, { start, charsMax })
    // Telegram trims blanks: offsets count from the first sign.
    const shown = start + text.slice(start, end).trimEnd().length
    const part = slice(sorted, start, shown)
    parts.push({ ...part, entities: part.entities.slice(0, ENTITIES_MAX) })
    start = startAfter(isInCode(sorted.entities, shown) ? shown : end, sorted)
  }
  return parts
}

/** Finds where the next message begins: at a cut blanks are skipped, but those in front of a line are a part of it. */
function startAfter(from: number, { text, entities }: FormattedText): number {
  if (text.slice(from).trim() === '') return text.length
  if (isInCode(entities, from)) return text.charAt(from) === '\n' ? from + 1 : from
  const code = entities.find((entity) => isCode(entity) && entity.offset >= from)
  const start = skipBlankLines(text, from)
  const isBlank = start === from && text.charAt(from) === ' '
  return Math.min(isBlank ? from + 1 : start, code?.offset ?? text.length)
}

/** Checks whether code stands on both sides of the index. Telegram keeps the blanks that code begins with. */
function isInCode(entities: readonly MessageEntity[], at: number): boolean {
  return entities.some(
    (entity) => isCode(entity) && entity.offset < at && at < entity.offset + entity.length,
  )
}

function isCode({ type }: MessageEntity): boolean {
  return type === 'pre' || type === 'code'
}

function chooseEnd(
  { text, entities }: FormattedText,
  { start, charsMax }: { start: number; charsMax: number },
): number {
  const shown = entities.filter(({ offset, length }) => offset + length > start)
  const limit = Math.min(start + charsMax, shown[ENTITIES_MAX]?.offset ?? text.length)
  // Telegram drops the last of too much formatting that begins with the message.
  const length = limit > start ? limit - start : Math.min(charsMax, text.length - start)
  if (text.slice(start + length).trim() === '') return text.length
  const rest = text.slice(start, start + length + 1)
  const cuts = ['\n\n', '\n', ' '].map((separator) => rest.lastIndexOf(separator, length))
  const cut = cuts.find((at) => at > length / 2) ?? Math.max(...cuts)
  return cut > 0 ? start + cut : characterStart(text, start + length, start)
}
