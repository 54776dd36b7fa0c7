import type { MessageEntity } from 'grammy/types'
import type { EntityText } from '../text.ts'
import { byteOffset, unreadable } from './complaint.ts'
import { type Span, toLinkEntity, toTimeEntity } from './links.ts'

const PLAIN = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
} as const
/** These become more than a span. */
const OTHER = ['a', 'blockquote', 'code', 'pre', 'tg-emoji', 'tg-time']
const CHARACTERS = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
])

function isPlain(name: string): name is keyof typeof PLAIN {
  return Object.hasOwn(PLAIN, name)
}

type Attributes = ReadonlyMap<string, string>

interface OpenTag {
  name: string
  attributes: Attributes
  /** The offset in the text without its tags. */
  offset: number
}

/**
 * Reads text with HTML tags, as `parse_mode` HTML does.
 *
 * @throws {ApiError} For a tag that is unknown, unfinished or closed by another one's end.
 */
export function parseHtml(source: string): EntityText {
  const open: OpenTag[] = []
  const entities: MessageEntity[] = []
  /** The language of code that may yet turn out to fill a `pre`. */
  const languages = new Map<MessageEntity, string>()
  let text = ''
  let index = 0
  while (index < source.length) {
    const decoded = source.charAt(index) === '&' ? decode(source, index) : undefined
    if (decoded) {
      text += decoded.character
      index = decoded.end
    } else if (source.charAt(index) !== '<') text += source.charAt(index++)
    else if (source.charAt(index + 1) === '/') index = close(index)
    else index = begin(index)
  }
  const unclosed = open.at(-1)
  if (unclosed) {
    throw unreadable(`Can't find end tag corresponding to start tag "${unclosed.name}"`)
  }
  return { text, entities }

  /** @returns Where the tag has ended. */
  function begin(at: number): number {
    const { name, attributes, end } = readStartTag(source, at)
    open.push({ name, attributes, offset: text.length })
    return end
  }

  function close(at: number): number {
    const tag = open.pop()
    if (tag === undefined) {
      throw unreadable(`Unexpected end tag at byte offset ${byteOffset(source, at)}`)
    }
    const name = /[^\s>]*/y
    name.lastIndex = at + 2
    const found = (name.exec(source)?.[0] ?? '').toLowerCase()
    const end = skipSpace(source, name.lastIndex)
    if (source.charAt(end) !== '>') {
      throw unreadable(`Unclosed end tag at byte offset ${byteOffset(source, at)}`)
    }
    if (found !== '' && found !== tag.name) {
      throw unreadable(
        `Unmatched end tag at byte offset ${byteOffset(source, at)}, expected "</${tag.name}>", found "</${found}>"`,
      )
    }
    const span = { offset: tag.offset, length: text.length - tag.offset }
    if (span.length > 0) add(tag, span)
    return end + 1
  }

  function add({ name, attributes }: OpenTag, span: Span): void {
    const last = entities.at(-1)
    const isSame = last?.offset === span.offset && last.length === span.length
    const language = /^language-(.*)$/s.exec(attributes.get('class') ?? '')?.[1]
    // A language stands in a `code` that fills a `pre`, whichever of them is outside.
    if (name === 'code' && isSame && last?.type === 'pre' && language) last.language = language
    else if (name === 'pre' && isSame && last?.type === 'code') {
      const inner = languages.get(last)
      entities[entities.length - 1] = { type: 'pre', ...span, ...(inner && { language: inner }) }
    } else {
      const entity = toEntity(name, attributes, span, text.slice(span.offset))
      if (entity === undefined) return
      entities.push(entity)
      if (language) languages.set(entity, language)
    }
  }
}

function toEntity(
  name: string,
  attributes: Attributes,
  span: Span,
  inner: string,
): MessageEntity | undefined {
  if (isPlain(name)) return { type: PLAIN[name], ...span }
  switch (name) {
    case 'a':
      return toLinkEntity(span, attributes.get('href') || inner)
    case 'tg-time':
      return toTimeEntity(span, attributes.get('unix') ?? '0', attributes.get('format') ?? '')
    case 'tg-emoji': {
      const id = attributes.get('emoji-id') ?? ''
      if (!/^[1-9]\d*$/.test(id)) throw unreadable('Invalid custom emoji identifier specified')
      return { type: 'custom_emoji', ...span, custom_emoji_id: id }
    }
    case 'blockquote':
      return {
        type: attributes.has('expandable') ? 'expandable_blockquote' : 'blockquote',
        ...span,
      }
    case 'pre':
      return { type: 'pre', ...span }
    default:
      return { type: 'code', ...span }
  }
}

function readStartTag(source: string, at: number) {
  const where = `at byte offset ${byteOffset(source, at)}`
  const nameEnd = indexOf(/[\s>]/g, source, at + 1)
  if (nameEnd === source.length) throw unreadable(`Unclosed start tag ${where}`)
  const name = source.slice(at + 1, nameEnd).toLowerCase()
  if (!isPlain(name) && !OTHER.includes(name)) {
    throw unreadable(`Unsupported start tag "${name}" ${where}`)
  }
  const attributes = new Map<string, string>()
  let index = skipSpace(source, nameEnd)
  while (source.charAt(index) !== '>') {
    if (index >= source.length) throw unreadable(`Unclosed start tag ${where}`)
    const attributeEnd = indexOf(/[\s=>]/g, source, index)
    const attribute = source.slice(index, attributeEnd)
    if (attribute === '') {
      throw unreadable(`Empty attribute name in the tag "${name}" ${where}`)
    }
    index = skipSpace(source, attributeEnd)
    if (source.charAt(index) === '=') {
      const value = readValue(source, skipSpace(source, index + 1), where)
      attributes.set(attribute, value.text)
      index = skipSpace(source, value.end)
    } else if (name === 'blockquote' && attribute === 'expandable') attributes.set(attribute, '')
    else {
      throw unreadable(
        `Expected equal sign in declaration of an attribute of the tag "${name}" ${where}`,
      )
    }
  }
  if (name === 'span' && attributes.get('class') !== 'tg-spoiler') {
    throw unreadable(`Tag "span" must have class "tg-spoiler" ${where}`)
  }
  return { name, attributes, end: index + 1 }
}

function readValue(source: string, at: number, where: string): { text: string; end: number } {
  const quote = source.charAt(at)
  if (quote === '') throw unreadable(`Unclosed start tag ${where}`)
  if (quote !== '"' && quote !== "'") {
    const end = indexOf(/[^A-Za-z0-9.-]/g, source, at)
    if (!/[\s>]/.test(source.charAt(end))) {
      throw unreadable(`Unexpected end of name token at byte offset ${byteOffset(source, at)}`)
    }
    return { text: source.slice(at, end).toLowerCase(), end }
  }
  const end = source.indexOf(quote, at + 1)
  if (end < 0) throw unreadable(`Unclosed start tag ${where}`)
  const text = source
    .slice(at + 1, end)
    .replace(/&[#\w]+;?/g, (coded) => decode(coded, 0)?.character ?? coded)
  return { text, end: end + 1 }
}

/** Reads `&lt;` and its like at an index; Telegram knows four names, and every number. */
function decode(source: string, at: number): { character: string; end: number } | undefined {
  const pattern = /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));?/iy
  pattern.lastIndex = at
  const [, hex, decimal, name = ''] = pattern.exec(source) ?? []
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
  const isCode = code > 0 && code < 0x10ffff
  const character = isCode ? String.fromCodePoint(code) : CHARACTERS.get(name)
  return character === undefined ? undefined : { character, end: pattern.lastIndex }
}

function skipSpace(source: string, from: number): number {
  return indexOf(/\S/g, source, from)
}

/** The length of the text where nothing is found. */
function indexOf(pattern: RegExp, source: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(source)?.index ?? source.length
}
