import type { Paragraph } from 'mdast'
import { isStandIn } from './mask-costly.ts'

/** Where a character is no sign of Markdown: nowhere, inside a line, at its start as well. */
const [SIGN, INSIDE, ANYWHERE] = [0, 1, 2]
const ASCII = new Uint8Array(128).fill(SIGN)
for (const character of ' !#%)+,-./0123456789:;=>?^{}') ASCII[character.charCodeAt(0)] = INSIDE
for (const character of '("\'') ASCII[character.charCodeAt(0)] = ANYWHERE
for (const first of 'Aa') {
  const code = first.charCodeAt(0)
  ASCII.fill(ANYWHERE, code, code + 26)
}
/** The first character after ASCII that is no control character. */
const NO_BREAK_SPACE = 0xa0
const BYTE_ORDER_MARK = 0xfeff

/**
 * Reads paragraphs of nothing but words, each in one line, into the tree that the parser would make of
 * them, in a small part of its time.
 *
 * @param source Without literal links: these have no sign of their own.
 * @returns Nothing if one of the characters may be a sign.
 */
export function readPlainParagraphs(source: string): Paragraph[] | undefined {
  const paragraphs: Paragraph[] = []
  let offset = 0
  let wasBlank = true
  for (const [index, text] of source.split('\n').entries()) {
    const isBlank = text === ''
    if (!isBlank && !(wasBlank && isPlain(text))) return undefined
    if (!isBlank) paragraphs.push(toParagraph(text, { line: index + 1, offset }))
    wasBlank = isBlank
    offset += text.length + 1
  }
  return paragraphs
}

function isPlain(line: string): boolean {
  if (kindOf(line.charCodeAt(0)) !== ANYWHERE) return false
  for (let at = 1; at < line.length; at++) {
    if (kindOf(line.charCodeAt(at)) === SIGN) return false
  }
  return true
}

function kindOf(code: number): number {
  const isWord = code >= NO_BREAK_SPACE && code !== BYTE_ORDER_MARK && !isStandIn(code)
  return isWord ? ANYWHERE : (ASCII[code] ?? SIGN)
}

/** Blanks at the end belong to the paragraph, not to its text. */
function toParagraph(source: string, start: { line: number; offset: number }): Paragraph {
  let length = source.length
  while (source.charAt(length - 1) === ' ') length--
  const value = source.slice(0, length)
  return {
    type: 'paragraph',
    children: [{ type: 'text', value, position: toPosition(length) }],
    position: toPosition(source.length),
  }

  function toPosition(chars: number): NonNullable<Paragraph['position']> {
    const { line, offset } = start
    return {
      start: { line, column: 1, offset },
      end: { line, column: 1 + chars, offset: offset + chars },
    }
  }
}
