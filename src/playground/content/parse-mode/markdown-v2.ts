import type { MessageEntity } from 'grammy/types'
import type { EntityText } from '../text.ts'
import { byteOffset, unreadable } from './complaint.ts'
import { type Span, toLinkEntity, toSymbol } from './links.ts'
import { readBlockBegin } from './markdown.ts'

const RESERVED = '_*[]()~`>#+-=|{}.!\n'

/** The kinds under the names that Telegram's complaints give them, with what ends each. */
const ENDS = {
  Bold: '*',
  Italic: '_',
  Underline: '__',
  Strikethrough: '~',
  Spoiler: '||',
  Code: '`',
  Pre: '```',
  PreCode: '```',
  TextUrl: ']',
  CustomEmoji: ']',
  BlockQuote: '\n',
} as const

type Kind = keyof typeof ENDS

interface OpenEntity {
  kind: Kind
  language: string
  /** The offset in the text without markup. */
  offset: number
  /** The index in the source. */
  at: number
}

/**
 * Reads MarkdownV2, where entities nest and every reserved character that marks nothing is escaped.
 *
 * @throws {ApiError} For markup without its end, and for reserved characters.
 */
export function parseMarkdownV2(source: string): EntityText {
  const open: OpenEntity[] = []
  const entities: MessageEntity[] = []
  let text = ''
  let index = 0
  /** True while only empty markup comes before this index in its line. */
  let isLineStart = true
  while (index < source.length) {
    const char = source.charAt(index)
    const innermost = open.at(-1)
    const isCode = innermost !== undefined && ENDS[innermost.kind].startsWith('`')
    if (char === '\\' && isEscapable(source.charCodeAt(index + 1))) {
      write(source.charAt(index + 1), 2)
    } else if (!(isCode ? '`' : RESERVED).includes(char)) write(char, 1)
    else if (innermost && endsHere(innermost)) end(innermost)
    else if (char === '\n') {
      write(char, 1)
      isLineStart = true
      // Every line of a quote begins with its mark.
      if (isInQuote() && source.charAt(index) === '>') index++
    } else begin()
  }
  closeQuote(source.length)
  const unclosed = open.at(-1)
  if (unclosed) throw missingEnd(unclosed)
  return { text, entities }

  function write(written: string, taken: number): void {
    text += written
    index += taken
    isLineStart = false
  }

  function isInQuote(): boolean {
    return open.some(({ kind }) => kind === 'BlockQuote')
  }

  function endsHere({ kind }: OpenEntity): boolean {
    const isQuoteEnd = source.charAt(index) === '\n' && source.charAt(index + 1) !== '>'
    if (isInQuote() && isQuoteEnd) return true
    if (kind === 'BlockQuote') return false
    if (kind === 'Italic' && source.startsWith('__', index)) return false
    return source.startsWith(ENDS[kind], index)
  }

  function end(innermost: OpenEntity): void {
    if (source.charAt(index) === '\n') {
      closeQuote(index)
      write('\n', 1)
      isLineStart = true
      return
    }
    open.pop()
    index += ENDS[innermost.kind].length
    const { kind, offset, language } = innermost
    const span = { offset, length: text.length - offset }
    const address = ENDS[kind] === ']' ? readAddress(kind) : undefined
    const entity = toEntity(kind, span, { language, address: address ?? text.slice(offset) })
    if (entity && span.length > 0) entities.push(entity)
  }

  /** The last line of a quote may end in `||`, which makes it expandable. */
  function closeQuote(at: number): void {
    if (!isInQuote()) return
    const innermost = open.at(-1)
    const isMark = innermost?.kind === 'Spoiler' && innermost.offset === text.length
    if (isMark) open.pop()
    const quote = open.at(-1)
    if (quote?.kind !== 'BlockQuote') {
      if (quote && at < source.length) throw missingEnd(quote)
      return
    }
    open.pop()
    const length = text.length - quote.offset
    const type = isMark ? 'expandable_blockquote' : 'blockquote'
    if (length > 0) entities.push({ type, offset: quote.offset, length })
  }

  function begin(): void {
    const block = source.startsWith('```', index) ? readBlockBegin(source, index) : undefined
    const kind = block ? (block.language ? 'PreCode' : 'Pre') : kindAt(index)
    const language = block?.language ?? ''
    open.push({ kind, language, offset: text.length, at: index })
    const mark = kind === 'CustomEmoji' ? 2 : kind === 'TextUrl' ? 1 : ENDS[kind].length
    index = block?.end ?? index + mark
  }

  function kindAt(at: number): Kind {
    switch (source.charAt(at)) {
      case '_':
        return source.charAt(at + 1) === '_' ? 'Underline' : 'Italic'
      case '*':
        return 'Bold'
      case '~':
        return 'Strikethrough'
      case '`':
        return 'Code'
      case '[':
        return 'TextUrl'
      case '|':
        if (source.charAt(at + 1) === '|') return 'Spoiler'
        break
      case '!':
        if (source.charAt(at + 1) === '[') return 'CustomEmoji'
        break
      case '>':
        if (isLineStart && !isInQuote()) return 'BlockQuote'
        break
    }
    throw unreadable(
      `Character '${source.charAt(at)}' is reserved and must be escaped with the preceding '\\'`,
    )
  }

  /** Reads what follows a text in brackets, in which round brackets are escaped. */
  function readAddress(kind: Kind): string | undefined {
    if (source.charAt(index) !== '(') {
      if (kind === 'TextUrl') return undefined
      throw unreadable('Custom emoji entity must contain a tg://emoji URL')
    }
    const start = index + 1
    const pattern = /((?:\\\p{ASCII}|\\(?!\p{ASCII})|[^)\\])*)\)/uy
    pattern.lastIndex = start
    const match = pattern.exec(source)
    if (match === null) {
      const what = kind === 'TextUrl' ? 'URL' : 'custom emoji URL'
      throw unreadable(`Can't find end of a ${what} at byte offset ${byteOffset(source, start)}`)
    }
    index = pattern.lastIndex
    return (match[1] ?? '').replace(/\\(\p{ASCII})/gu, '$1')
  }

  function missingEnd({ kind, at }: OpenEntity) {
    return unreadable(`Can't find end of ${kind} entity at byte offset ${byteOffset(source, at)}`)
  }
}

function isEscapable(unit: number): boolean {
  return unit > 0 && unit <= 126
}

function toEntity(
  kind: Kind,
  span: Span,
  { language, address }: { language: string; address: string },
): MessageEntity | undefined {
  switch (kind) {
    case 'Bold':
      return { type: 'bold', ...span }
    case 'Italic':
      return { type: 'italic', ...span }
    case 'Underline':
      return { type: 'underline', ...span }
    case 'Strikethrough':
      return { type: 'strikethrough', ...span }
    case 'Spoiler':
      return { type: 'spoiler', ...span }
    case 'BlockQuote':
      return { type: 'blockquote', ...span }
    case 'Code':
      return { type: 'code', ...span }
    case 'Pre':
    case 'PreCode':
      return { type: 'pre', ...span, ...(language && { language }) }
    case 'TextUrl':
      return toLinkEntity(span, address)
    case 'CustomEmoji': {
      const symbol = toSymbol(span, address)
      if (symbol) return symbol
      throw unreadable('Custom emoji URL must have an emoji identifier')
    }
  }
}
