import { classOf, runLength } from './characters.ts'

const ENTITY = /&[a-z\d#]{1,32};/iy
/** The paragraphs of a longer text become lines: Telegram limits the blocks of a message. */
const TEXT_PARAGRAPHS_MAX = 100

const ALWAYS = new Set('\\`*_~[]$')
const AT_LINE_START = new Set('#>-+=|:')

/** Characters that `escapeCharacter()` leaves alone inside a line. */
const PLAIN = /[^\\`*_~[\]$\n\r<&=|#.):@]*/y

export interface TextContext {
  isLineStart?: boolean
  isOneLine?: boolean
  isCell?: boolean
}

/**
 * Writes a text so that it means nothing but itself: neither in GitHub Flavored Markdown nor in
 * what Telegram's Markdown adds, as `==mark==`, `||spoiler||`, formulas and tags.
 *
 * Line breaks stay: each becomes a hard one, as a chat shows its lines as they were written. Blank
 * lines end a paragraph.
 */
export function escapeText(
  text: string,
  { isLineStart = false, isOneLine = false, isCell = false }: TextContext,
): string {
  let written = ''
  let atStart = isLineStart
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '\n' || character === '\r') {
      if (character === '\r' && text.charAt(index + 1) === '\n') continue
      const hasLine = !isLineStart || written !== ''
      written = written.trimEnd()
      if (isOneLine) written += ' '
      else if (hasLine) written += atStart ? '\n\n' : '  \n'
      atStart = !isOneLine
    } else if (atStart && (character === ' ' || character === '\t')) {
      // Four of them would make code of it.
    } else {
      written += escapeCharacter(text, index, { atStart, isCell, isOneLine })
      atStart = false
      const end = plainEnd(text, index + 1)
      written += text.slice(index + 1, end)
      index = end - 1
    }
  }
  return written
}

/** Writes plain text as Markdown that shows it, with its lines and paragraphs. */
export function writeTextLines(text: string): string {
  const written = escapeText(text, { isLineStart: true }).trim()
  const paragraphs = written.split('\n\n')
  return paragraphs.length > TEXT_PARAGRAPHS_MAX ? paragraphs.join('  \n') : written
}

function plainEnd(text: string, from: number): number {
  PLAIN.lastIndex = from
  PLAIN.test(text)
  return PLAIN.lastIndex
}

function escapeCharacter(
  text: string,
  index: number,
  { atStart, isCell, isOneLine }: { atStart: boolean; isCell: boolean; isOneLine: boolean },
): string {
  const character = text.charAt(index)
  if (ALWAYS.has(character)) return `\\${character}`
  if (atStart && AT_LINE_START.has(character)) return `\\${character}`
  switch (character) {
    case '<':
      return canBeginTag(text.charAt(index + 1)) ? '&lt;' : character
    case '&':
      return isEntity(text, index) ? '&amp;' : character
    case '=':
      return isDoubled(text, index) ? `\\${character}` : character
    case '|':
      return isCell || isDoubled(text, index) ? `\\${character}` : character
    case '#':
      // Signs at the end of a heading are not shown.
      return isOneLine ? `\\${character}` : character
    case '.':
      return endsListNumber(text, index) || isAfterWww(text, index) ? `\\${character}` : character
    case ')':
      return endsListNumber(text, index) ? `\\${character}` : character
    // A text that is no link here must not become one.
    case ':':
      return text.startsWith('//', index + 1) ? `\\${character}` : character
    case '@':
      return index > 0 && classOf(text.charAt(index - 1)) !== 'blank' ? `\\${character}` : character
    default:
      return character
  }
}

/** So can the end of the text: a letter may follow it. */
function canBeginTag(next: string): boolean {
  return next === '' || /[a-z/!?]/i.test(next)
}

function isEntity(text: string, index: number): boolean {
  ENTITY.lastIndex = index
  return ENTITY.test(text)
}

function isDoubled(text: string, index: number): boolean {
  const character = text.charAt(index)
  return text.charAt(index - 1) === character || text.charAt(index + 1) === character
}

function isAfterWww(text: string, index: number): boolean {
  return text.slice(Math.max(index - 3, 0), index).toLowerCase() === 'www'
}

function endsListNumber(text: string, index: number): boolean {
  const next = text.charAt(index + 1)
  if (!/\d/.test(text.charAt(index - 1)) || next.trim() !== '') return false
  const line = text.slice(text.lastIndexOf('\n', index) + 1, index)
  return /^[ \t]*\d{1,10}$/.test(line)
}

/**
 * Returns the shortest row of backticks that the code has nowhere: nothing in the code can end it.
 *
 * @param charsMin 3 for a block of code.
 */
export function shortestFence(code: string, charsMin = 1): string {
  let chars = charsMin
  for (let at = code.indexOf('`'); at !== -1; at = code.indexOf('`', at)) {
    const length = runLength(code, at)
    chars = Math.max(chars, length + 1)
    at += length
  }
  return '`'.repeat(chars)
}

/** Writes a block of code. */
export function writeFenced(code: string, language = ''): string {
  const fence = shortestFence(code, 3)
  return `${fence}${language}\n${code}\n${fence}`
}
