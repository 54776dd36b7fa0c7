import { maskSign } from './mask-costly.ts'

/** Follows the language of a block of Markdown that goes on inside of a code block: a noncharacter, as in no text. */
const GOES_ON = '\u{fdef}'
const MARKDOWN = /^(?:markdown|md|mdx|gfm|commonmark)$/i
const MAY_BE_MARKDOWN = /(?:`{3}|~{3})[ \t]*(?:markdown|md|gfm|commonmark)/i
/** A fence, behind the markers of the quotes and items that it stands in. */
const FENCE = /^((?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})([^\n]*)$/gm

/** A code block in a block of Markdown, from the line that opens it to the signs that end it. */
interface InnerFence {
  start: number
  end: number
}

interface OuterFence {
  sign: string
  length: number
  isMarkdown: boolean
  isNested: boolean
  end: number
}

/**
 * Hides the ends of code blocks that stand in a block of Markdown. Models write both with the same signs, and to the
 * parser the inner end would end the outer block: all after it would change places, code with prose.
 */
export function maskInnerFences(source: string): string {
  let masked = ''
  let from = 0
  for (const { end } of findInnerFences(source)) {
    if (end === Number.POSITIVE_INFINITY) continue
    masked += source.slice(from, end) + maskSign(source.charAt(end))
    from = end + 1
  }
  return masked + source.slice(from)
}

/** Writes the line that opens a block of code again, for its code to go on from the offset. */
export function openAgain(line: string, source: string, offset: number): string {
  const bare = line.replace(GOES_ON, '').trimEnd()
  const inner = findInnerFences(source).some(({ start, end }) => start < offset && offset <= end)
  return inner ? `${bare} ${GOES_ON}` : bare
}

function findInnerFences(source: string): InnerFence[] {
  const found: InnerFence[] = []
  if (!MAY_BE_MARKDOWN.test(source)) return found
  let outer: OuterFence | undefined
  let inner: InnerFence | undefined
  for (const { index, 0: line, 1: markers = '', 2: signs = '', 3: info = '' } of source.matchAll(
    FENCE,
  )) {
    const start = index + markers.length
    if (outer?.isNested && /^[^\s>]/m.test(source.slice(outer.end, index))) outer = undefined
    if (outer === undefined) {
      const [language = ''] = info.trim().split(/\s/)
      const isMarkdown = MARKDOWN.test(language)
      const isNested = markers.length > 1
      outer = {
        sign: signs.charAt(0),
        length: signs.length,
        isMarkdown,
        isNested,
        end: index + line.length,
      }
      inner = info.includes(GOES_ON) ? open(index) : undefined
    } else if (signs.charAt(0) === outer.sign && signs.length >= outer.length) {
      // A fence right after the marker of an item begins code.
      const isEnd = info.trim() === '' && !/[^\s>]/.test(markers)
      if (!isEnd && outer.isMarkdown) inner ??= open(index)
      else if (isEnd && inner !== undefined) {
        inner.end = start
        inner = undefined
      } else if (isEnd) outer = undefined
    }
  }
  return found

  function open(start: number): InnerFence {
    const fence = { start, end: Number.POSITIVE_INFINITY }
    found.push(fence)
    return fence
  }
}
