import type { Nodes } from 'mdast'

const SIGNS = [...'*_~[]<>-+.)`']
/** The first of the characters that Unicode keeps for uses like this one: no text has them. */
const FIRST_MASK = 0xfdd0
const LAST_MASK = FIRST_MASK + SIGNS.length - 1
const MASKED = new RegExp(`[${String.fromCharCode(FIRST_MASK)}-${String.fromCharCode(LAST_MASK)}]`)
const ALL_MASKED = new RegExp(MASKED, 'g')

/**
 * The signs for which the parser's time grows with the square of their number between two blank lines. No
 * prose has so many: only the first ones mean something. Emphasis in a row is one sign.
 */
const COSTLY = [
  { signs: /[*_]+/g, max: 800 },
  { signs: /~+/g, max: 200 },
  { signs: /[[\]]/g, max: 400 },
  { signs: /</g, max: 300 },
]
const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))+/gm
/** Blocks that one line opens. Telegram takes 16 levels. */
const LINE_MARKERS_MAX = 32

/**
 * Replaces the signs by stand-ins that would take the parser too long or mislead it. `unmask()` restores them in the
 * tree of the text. No other character changes, and none moves.
 */
export function maskSigns(source: string): string {
  const masked = maskInnerFences(source)
  if (masked.length <= LINE_MARKERS_MAX) return masked
  return masked
    .split('\n\n')
    .map((text) => COSTLY.reduce(maskMany, text))
    .join('\n\n')
    .replaceAll(MARKERS, maskMarkers)
}

function maskMany(text: string, { signs, max }: (typeof COSTLY)[number]): string {
  if (text.length <= max) return text
  let count = 0
  return text.replaceAll(signs, (run) => (++count > max ? mask(run) : run))
}

function maskMarkers(markers: string): string {
  if (markers.length <= LINE_MARKERS_MAX) return markers
  let count = 0
  return markers.replaceAll(/[>\-*+.)]/g, (sign) =>
    ++count > LINE_MARKERS_MAX ? mask(sign) : sign,
  )
}

function mask(signs: string): string {
  return signs.replaceAll(/./g, (sign) => {
    const index = SIGNS.indexOf(sign)
    return index === -1 ? sign : String.fromCharCode(FIRST_MASK + index)
  })
}

/** Restores the signs that were hidden from the parser. */
export function unmask(node: Nodes): void {
  if ('value' in node) node.value = toSigns(node.value)
  if ('url' in node) node.url = toSigns(node.url)
  if ('alt' in node && node.alt) node.alt = toSigns(node.alt)
  if ('label' in node && node.label) node.label = toSigns(node.label)
  if ('children' in node) for (const child of node.children) unmask(child)
}

export function isMasked(source: string): boolean {
  return MASKED.test(source)
}

function toSigns(text: string): string {
  return text.replaceAll(ALL_MASKED, (sign) => SIGNS[sign.charCodeAt(0) - FIRST_MASK] ?? sign)
}

/** Follows the language of a block of Markdown that continues inside of a code block: a noncharacter, as in no text. */
const CONTINUES = '\u{fdef}'
const MARKDOWN = /^(?:markdown|md|mdx|gfm|commonmark)$/i
const MAY_BE_MARKDOWN = /(?:`{3}|~{3})[ \t]*(?:markdown|md|gfm|commonmark)/i
/** A fence, behind the markers of the quotes and items that it stands in. */
const FENCE = /^((?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})([^\n]*)$/gm

/** Writes the line that opens a block of code again, for its code to continue from the offset. */
export function openAgain(line: string, source: string, offset: number): string {
  const bare = line.replace(CONTINUES, '').trimEnd()
  const isInner = findInnerFences(source).some(({ start, end }) => start < offset && offset <= end)
  return isInner ? `${bare} ${CONTINUES}` : bare
}

/**
 * Hides the ends of code blocks that stand in a block of Markdown. Models write both with the same signs, and to the
 * parser the inner end would end the outer block: all text after it would change places, code with prose.
 */
function maskInnerFences(source: string): string {
  let masked = source
  for (const { end } of findInnerFences(source)) {
    if (end === Number.POSITIVE_INFINITY) continue
    masked = masked.slice(0, end) + mask(masked.charAt(end)) + masked.slice(end + 1)
  }
  return masked
}

/** Finds code blocks in blocks of Markdown, each from the line that opens it to the signs that end it. */
function findInnerFences(source: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  if (!MAY_BE_MARKDOWN.test(source)) return found
  let outer: { signs: string; isMarkdown: boolean; isNested: boolean; end: number } | undefined
  let isInside = false
  for (const { index, 0: line, 1: markers = '', 2: signs = '', 3: info = '' } of source.matchAll(
    FENCE,
  )) {
    const end = index + line.length
    if (outer?.isNested && /^[^\s>]/m.test(source.slice(outer.end, index))) outer = undefined
    if (outer === undefined) {
      const isMarkdown = MARKDOWN.test(info.trim().split(/\s/)[0] ?? '')
      outer = { signs, isMarkdown, isNested: markers.length > 1, end }
      isInside = info.includes(CONTINUES)
      if (isInside) open(index)
    } else if (signs.startsWith(outer.signs)) {
      // A fence right after the marker of an item begins code.
      const isEnd = info.trim() === '' && !/[^\s>]/.test(markers)
      if (isEnd && isInside) close(index + markers.length)
      else if (isEnd) outer = undefined
      else if (outer.isMarkdown && !isInside) open(index)
    }
  }
  return found

  function open(start: number): void {
    found.push({ start, end: Number.POSITIVE_INFINITY })
    isInside = true
  }

  function close(end: number): void {
    const last = found.at(-1)
    if (last) last.end = end
    isInside = false
  }
}
