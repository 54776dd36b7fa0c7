import type { Nodes } from 'mdast'

const SIGNS = [...'*_~[]<>-+.)`$']
/** The first of the characters that Unicode reserves for internal use: no text has them. */
const FIRST_MASK = 0xfdd0
const LAST_MASK = FIRST_MASK + SIGNS.length - 1
const MASKED = new RegExp(
  `[${String.fromCharCode(FIRST_MASK)}-${String.fromCharCode(LAST_MASK)}]`,
  'g',
)

/**
 * Signs with quadratic parser time in their number between two blank lines. No prose has so many: only the first
 * signs matter. Emphasis in a row is one sign.
 */
const COSTLY = [
  { signs: /[*_]+/g, max: 800 },
  { signs: /~+/g, max: 200 },
  { signs: /[[\]]/g, max: 400 },
  { signs: /</g, max: 300 },
]
const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))+/gm
/** The meaningful markers of one line: 32 nested items. Telegram allows 16 levels. */
const MARKERS_CHARS_MAX = 64

/**
 * Masks signs that slow down or mislead the parser: fences inside Markdown blocks, and dollars of prices.
 *
 * Formulas between TeX's signs get dollars. No other character changes, and none moves. `unmask()` restores the signs
 * in the tree.
 */
export function maskSigns(source: string, { isFromModel }: { isFromModel: boolean }): string {
  const masked = isFromModel ? markFormulas(maskInnerFences(source)) : source
  if (masked.length <= MARKERS_CHARS_MAX) return masked
  return masked
    .split('\n\n')
    .map((text) => COSTLY.reduce(maskMany, text))
    .join('\n\n')
    .replaceAll(
      MARKERS,
      (all) => all.slice(0, MARKERS_CHARS_MAX) + mask(all.slice(MARKERS_CHARS_MAX)),
    )
}

function maskMany(text: string, { signs, max }: (typeof COSTLY)[number]): string {
  if (text.length <= max) return text
  let count = 0
  return text.replaceAll(signs, (run) => (++count > max ? mask(run) : run))
}

function mask(signs: string): string {
  return signs.replaceAll(/./g, (sign) => {
    const index = SIGNS.indexOf(sign)
    return index === -1 ? sign : String.fromCharCode(FIRST_MASK + index)
  })
}

/** Restores the masked signs, except for those around formulas. */
export function unmask(node: Nodes, texts: { source: string; text: string }): void {
  if ('value' in node) node.value = toSigns(restoreTex(node, texts))
  if ('url' in node) node.url = toSigns(node.url)
  if ('alt' in node && node.alt) node.alt = toSigns(node.alt)
  if ('children' in node) for (const child of node.children) unmask(child, texts)
}

function toSigns(text: string): string {
  return text.replaceAll(MASKED, (sign) => SIGNS[sign.charCodeAt(0) - FIRST_MASK] ?? sign)
}

function restoreTex(
  { type, value, position }: Extract<Nodes, { value: string }>,
  { source, text }: { source: string; text: string },
): string {
  if (type === 'math' || type === 'inlineMath') return value
  let at = position?.start.offset ?? 0
  return value.replaceAll('$$', () => {
    const found = text.indexOf('$$', at)
    at = found + 2
    const signs = source.slice(found, at)
    return type === 'text' ? signs.replace('\\', '') : signs
  })
}

/** A formula between TeX's signs, or an escaped character. A formula contains no other formula and no blank line. */
const TEX = /\\([([])((?:[^\\\n]|\n(?![ \t>]*\n)|\\[^()[\]])+)\\([)\]])|\\[\s\S]/g
const LINE_LEAD = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/
/**
 * A formula between dollar signs, or another dollar. As in Pandoc, no blank follows its first dollar or precedes its
 * last. No digit precedes the first, and no letter or digit follows the last: "5$ and 6$", "$HOME:$PATH". Scripts
 * without blanks write formulas right before words.
 */
const DOLLARS =
  /\\[\s\S]|\${2,}|(?<!\p{Nd})\$(?!\s)(?:[^$\n]|\n(?![ \t>]*\n))+(?<!\s)\$(?:(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])|(?![\p{L}\p{N}_{]))|\$/gu

/**
 * Writes TeX's `\( … \)` and `\[ … \]` as two dollar signs, and hides single dollars that enclose no formula.
 * In a line with other text a blank must follow `\[`: without a blank it is an escaped bracket, as in `\[1\]`.
 */
function markFormulas(source: string): string {
  const text = /\\[([]/.test(source) ? source.replaceAll(TEX, toDollars) : source
  return text.replaceAll(DOLLARS, (found) => (found === '$' ? mask(found) : found))
}

function toDollars(
  whole: string,
  open: string | undefined,
  inside: string,
  close: string,
  offset: number,
  source: string,
): string {
  const end = offset + whole.length
  const before = source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset)
  const isAlone = LINE_LEAD.test(before) && /^[ \t]*(?:\n|$)/.test(source.slice(end, end + 100))
  const isPair = open === '(' ? close === ')' : close === ']' && (isAlone || /^\s/.test(inside))
  const isInUrl = /(?::\/\/|\]\()[^\s)]*$/.test(before.slice(-200))
  if (open === undefined || !isPair || isInUrl) return whole
  const isBlock = isAlone && open === '[' && /^[ \t]*\n[\s\S]*\n[ \t>]*$/.test(inside)
  // In a paragraph, lines of a formula could begin other blocks.
  return `$$${isBlock ? inside : inside.replaceAll('\n', ' ')}$$`
}

const MAY_BE_MARKDOWN = /(?:`{3}|~{3})[ \t]*(?:markdown|md|gfm|commonmark)/i
const MARKDOWN = /^\s*(?:markdown|md|mdx|gfm|commonmark)(?:\s|$)/i
/** A fence after the markers of its quotes and items. */
const FENCE = /^((?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})([^\n]*)$/gm

interface InnerFence {
  start: number
  opening: string
  end: number
}

/** Finds the line of the code block that is open at an offset in a block of Markdown. */
export function findInnerFence(source: string, offset: number): string | undefined {
  return findInnerFences(source).find(({ start, end }) => start < offset && offset <= end)?.opening
}

/**
 * Hides the ends of code blocks inside a block of Markdown. Models use the same signs for both, so the parser would end
 * the outer block at the inner end, and swap code and prose after it.
 */
function maskInnerFences(source: string): string {
  const ends = new Set(findInnerFences(source).map(({ end }) => end))
  if (ends.size === 0) return source
  return source.replaceAll(/[`~]/g, (sign, at) => (ends.has(at) ? mask(sign) : sign))
}

function findInnerFences(source: string): InnerFence[] {
  const found: InnerFence[] = []
  if (!MAY_BE_MARKDOWN.test(source)) return found
  let outer: { signs: string; isMarkdown: boolean; isNested: boolean; end: number } | undefined
  let inner: InnerFence | undefined
  for (const { index, 0: line, 1: lead = '', 2: signs = '', 3: info = '' } of source.matchAll(
    FENCE,
  )) {
    if (outer?.isNested && /^[^\s>]/m.test(source.slice(outer.end, index))) outer = undefined
    // A fence right after the marker of an item begins code.
    const isEnd = info.trim() === '' && !/[^\s>]/.test(lead)
    if (outer === undefined) {
      const isMarkdown = MARKDOWN.test(info)
      outer = { signs, isMarkdown, isNested: lead.length > 1, end: index + line.length }
      inner = undefined
    } else if (!signs.startsWith(outer.signs)) continue
    else if (isEnd && inner) {
      inner.end = index + lead.length
      inner = undefined
    } else if (isEnd) outer = undefined
    else if (outer.isMarkdown && !inner) {
      inner = { start: index, opening: signs + info, end: Number.POSITIVE_INFINITY }
      found.push(inner)
    }
  }
  return found
}
