import type { MessageEntity } from 'grammy/types'
import type { EntityText } from '../text.ts'
import { byteOffset, unreadable } from './complaint.ts'
import { type Span, toLinkEntity } from './links.ts'

/**
 * Reads the legacy Markdown: bold, italic, code, blocks of code and links, none inside another.
 *
 * @throws {ApiError} For markup without its end.
 */
export function parseMarkdown(source: string): EntityText {
  const entities: MessageEntity[] = []
  let text = ''
  let index = 0
  while (index < source.length) {
    const char = source.charAt(index)
    if (char === '\\' && /[_*`[]/.test(source.charAt(index + 1))) {
      text += source.charAt(index + 1)
      index += 2
    } else if (!/[_*`[]/.test(char)) {
      text += char
      index++
    } else index = readMarkup(index)
  }
  return { text, entities }

  /** @returns Where the markup has ended. */
  function readMarkup(at: number): number {
    const begin = readBegin(source, at)
    const end = source.indexOf(begin.closing, begin.end)
    if (end < 0) {
      throw unreadable(
        `Can't find end of the entity starting at byte offset ${byteOffset(source, at)}`,
      )
    }
    const inner = source.slice(begin.end, end)
    const span = { offset: text.length, length: inner.length }
    text += inner
    const closed = end + begin.closing.length
    const address = /\(([^)]*)\)?/y
    address.lastIndex = closed
    const link = begin.closing === ']' ? address.exec(source) : null
    const entity = toEntity(begin, span, link?.[1] ?? inner)
    if (inner !== '' && entity) entities.push(entity)
    return closed + (link?.[0].length ?? 0)
  }
}

interface Begin {
  closing: string
  /** The index at which the text inside starts. */
  end: number
  language: string
}

function readBegin(source: string, at: number): Begin {
  const char = source.charAt(at)
  const block = readBlockBegin(source, at)
  if (block) return { closing: '```', ...block }
  return { closing: char === '[' ? ']' : char, end: at + 1, language: '' }
}

/** Reads three backticks, the language after them if there is one, and one line break. */
export function readBlockBegin(source: string, at: number) {
  const pattern = /```(?:([^\s`]+)(?=\s))?(?:\r\n|\n\r|\n|\r)?/y
  pattern.lastIndex = at
  const match = pattern.exec(source)
  return match === null ? undefined : { end: pattern.lastIndex, language: match[1] ?? '' }
}

function toEntity(
  { closing, language }: Begin,
  span: Span,
  address: string,
): MessageEntity | undefined {
  switch (closing) {
    case '*':
      return { type: 'bold', ...span }
    case '_':
      return { type: 'italic', ...span }
    case '`':
      return { type: 'code', ...span }
    case '```':
      return { type: 'pre', ...span, ...(language && { language }) }
    default:
      return toLinkEntity(span, address)
  }
}
