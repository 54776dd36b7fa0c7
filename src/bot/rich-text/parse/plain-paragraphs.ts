import type { Paragraph } from 'mdast'

/**
 * Characters that are no sign of Markdown anywhere in a line: all after ASCII's and the control
 * characters but the byte order mark and the noncharacters, which `maskCostly()` writes.
 */
const WORD = `A-Za-z("'\\u00a0-\\ufdcf\\ufdf0-\\ufefe\\uff00-\\uffff`
const PLAIN = new RegExp(`^[${WORD}][${WORD} !#%)+,./0-9:;=>?^{}-]*$`)

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
    if (!isBlank && !(wasBlank && PLAIN.test(text))) return undefined
    if (!isBlank) paragraphs.push(toParagraph(text, { line: index + 1, offset }))
    wasBlank = isBlank
    offset += text.length + 1
  }
  return paragraphs
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
