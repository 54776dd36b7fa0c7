import type { InlineMath } from 'mdast-util-math'
import { classOf, runLength } from './characters.ts'
import { isAcceptedUrl, writeUrl } from './links.ts'
import { type Inline, type InlineLink, type InlineSpan, type Phrasing, pairTags } from './tags.ts'

/** Telegram allows 16 levels of blocks and formatting together. */
const DEPTH_MAX = 15

export interface InlineContext {
  before: string
  after: string
  depth: number
  isOneLine?: boolean
  isCell?: boolean
  isLinkText?: boolean
  isMarked?: boolean
  closesOpen: boolean
}

export function writeInline(nodes: readonly Phrasing[], context: InlineContext): string {
  const paired = joinTexts(pairTags(nodes, context))
  let written = ''
  let { before } = context
  for (const [index, node] of paired.entries()) {
    const next = paired[index + 1]
    const after = next ? edgeOf(next, 0) : context.after
    const piece = writeNode(node, { ...context, before, after })
    const needsEscape = piece.startsWith('[') && before === '!' && written !== ''
    written = needsEscape ? `${written.slice(0, -1)}\\!${piece}` : written + piece
    before = piece === '' ? before : piece.slice(-1)
  }
  return written
}

function writeNode(node: Inline, context: InlineContext): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return writeText(node.value, context)
    case 'inlineCode':
      return writeCode(node.value, context)
    case 'inlineMath':
      return writeMath(node, context)
    case 'break':
      if (context.isOneLine) return ' '
      return isLineStart(context) ? '' : '  \n'
    case 'link':
      return writeLink(node, context)
    case 'image': {
      // Telegram would fetch a picture from an address that a model made up: it becomes a link.
      const children: Inline[] = node.alt ? [{ type: 'text', value: node.alt }] : []
      return writeLink({ type: 'link', url: node.url, children }, context)
    }
    default:
      return writeSpan(node, context)
  }
}

function writeText(text: string, context: InlineContext): string {
  return escapeText(text, { ...context, isLineStart: isLineStart(context) })
}

function isLineStart({ before, isOneLine }: InlineContext): boolean {
  return !isOneLine && (before === '' || before === '\n')
}

function writeCode(code: string, context: InlineContext): string {
  const value = code.replaceAll('\n', ' ').replaceAll('\t', ' ')
  if (value.trim() === '') return ''
  // After a backslash, code in a cell cannot contain the sign between cells.
  if (context.isCell && value.includes('\\|')) return writeText(value, context)
  const fence = shortestFence(value)
  const isPadded = value.startsWith('`') || value.endsWith('`') || /^ .* $/.test(value)
  const inside = context.isCell ? value.replaceAll('|', '\\|') : value
  const padding = isPadded ? ' ' : ''
  return `${fence}${padding}${inside}${padding}${fence}`
}

/** A formula that single dollars cannot enclose becomes text. */
function writeMath({ value }: InlineMath, context: InlineContext): string {
  const formula = value.replaceAll('\n', ' ').trim()
  if (formula === '') return ''
  const source = context.isCell
    ? formula.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ')
    : formula
  const isSafe = !source.includes('$') && !/\d/.test(context.after) && context.before !== '$'
  return isSafe ? `$${source.trim()}$` : writeText(formula, context)
}

const MARKS: Partial<Record<InlineSpan['type'], { signs: readonly string[]; tag: string }>> = {
  strong: { signs: ['**', '__'], tag: 'b' },
  emphasis: { signs: ['*', '_'], tag: 'i' },
  delete: { signs: ['~~'], tag: 's' },
}

function writeSpan({ type, children }: InlineSpan, context: InlineContext): string {
  if (context.depth >= DEPTH_MAX) return writeInline(children, context)
  const { signs = [], tag = type } = MARKS[type] ?? {}
  const sign = signs.find((candidate) => isReadable(candidate, children, context))
  const [open, close] = sign ? [sign, sign] : [`<${tag}>`, `</${tag}>`]
  const inside = writeInline(children, {
    ...context,
    before: open.slice(-1),
    after: close.charAt(0),
    depth: context.depth + 1,
    isMarked: true,
  })
  // Blanks stay outside: a tag alone in its line would begin a block.
  const core = inside.trim()
  return core === '' ? inside : inside.replace(core, () => `${open}${core}${close}`)
}

function isReadable(
  sign: string,
  children: readonly Inline[],
  { before, after, isMarked }: InlineContext,
): boolean {
  const character = sign.charAt(0)
  const [first, last] = [children[0], children.at(-1)]
  if (first === undefined || last === undefined) return false
  if (before === character || after === character) return false
  const around = [classOf(before), classOf(after)]
  const inside = [classOf(edgeOf(first, 0)), classOf(edgeOf(last, -1))]
  if (inside.includes('blank')) return false
  const needsAir = character === '_' || isMarked
  return around.every((outer, at) => {
    if (outer === 'word') return inside[at] === 'word' && !needsAir
    // Between two signs it could also end the outer formatting.
    return outer === 'blank' || inside[at] === 'word' || !isMarked
  })
}

function edgeOf(node: Inline, at: 0 | -1): string {
  if (node.type === 'text') return node.value.at(at) ?? ''
  return node.type === 'break' ? '\n' : '<'
}

function writeLink({ url, children }: InlineLink, context: InlineContext): string {
  const { depth, isLinkText } = context
  if (isLinkText || depth >= DEPTH_MAX || !isAcceptedUrl(url)) {
    const text = writeInline(children, context)
    const isHidden = !isLinkText && url !== '' && !isShown(url, text)
    return isHidden ? `${text}${writeText(` (${url})`, { ...context, before: ')' })}` : text
  }
  const inside = { ...context, before: '[', after: ']', depth: depth + 1, isLinkText: true }
  const text = writeInline(children, inside).trim()
  return `[${text === '' ? writeText(url, inside) : text}](${writeUrl(url)})`
}

function isShown(url: string, text: string): boolean {
  const bare = text.replaceAll('\\', '').trim()
  return url === bare || url === `mailto:${bare}` || url === `http://${bare}`
}

/** Joins text of rejected tags to its neighbours: doubled signs are visible only in one piece. */
function joinTexts(nodes: readonly Inline[]): Inline[] {
  const joined: Inline[] = []
  for (const node of nodes) {
    const last = joined.at(-1)
    if (node.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { ...last, value: last.value + node.value }
    } else joined.push(node)
  }
  return joined
}

/** Paragraphs beyond this number become lines: Telegram limits the blocks of a message. */
const TEXT_PARAGRAPHS_MAX = 100

/** The signs with a meaning, most only in some places. A letter may follow the end of the text. */
const SIGNS = new RegExp(
  [
    '[\\\\`*_~[\\]$#|]|={2,}|^[>\\-+=:]',
    '<(?=[a-z/!?]|(?![^]))|&(?=[a-z\\d#]{1,32};)',
    '[.)](?<=^[ \\t]*\\d{1,10}.)(?=\\s|$)',
    // Plain text must not become a link.
    '\\.(?<=www.)|:(?=//)|@(?<=\\S@)',
  ].join('|'),
  'gim',
)

export interface TextContext {
  isLineStart?: boolean
  isOneLine?: boolean
  isCell?: boolean
}

/**
 * Escapes a text against all constructs of GitHub Flavored Markdown and Telegram's additions.
 *
 * Line breaks become hard breaks. Blank lines end a paragraph.
 */
export function escapeText(
  text: string,
  { isLineStart = false, isOneLine = false, isCell = false }: TextContext,
): string {
  const lines = (isLineStart ? text.replace(/^[ \t\r\n]+/, '') : text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\s*\n[ \t\n]*/g, (gap) => {
      if (isOneLine) return ' '
      return gap.indexOf('\n') === gap.lastIndexOf('\n') ? '  \n' : '\n\n'
    })
  return lines.replaceAll(SIGNS, (sign, at: number) => {
    if (sign === '<') return '&lt;'
    if (sign === '&') return '&amp;'
    const isFirst = at === 0 ? isLineStart : lines.charAt(at - 1) === '\n'
    return isFirst || isMeant(sign, at) ? sign.replaceAll(/./g, '\\$&') : sign
  })

  /** Checks whether a sign has a meaning inside a line. Signs at the end of a heading are hidden. */
  function isMeant(sign: string, at: number): boolean {
    if (sign === '#') return isOneLine
    if (sign === '|') return isCell || lines.charAt(at - 1) === '|' || lines.charAt(at + 1) === '|'
    return !'>-+='.includes(sign) && (sign !== ':' || lines.startsWith('://', at))
  }
}

/** Writes plain text as Markdown that shows its lines and paragraphs. */
export function writeTextLines(text: string): string {
  const written = escapeText(text, { isLineStart: true }).trim()
  const paragraphs = written.split('\n\n')
  return paragraphs.length > TEXT_PARAGRAPHS_MAX ? paragraphs.join('  \n') : written
}

/** Returns the shortest row of backticks that the code does not contain. */
function shortestFence(code: string, charsMin = 1): string {
  let chars = charsMin
  for (let at = code.indexOf('`'); at !== -1; at = code.indexOf('`', at)) {
    const length = runLength(code, at)
    chars = Math.max(chars, length + 1)
    at += length
  }
  return '`'.repeat(chars)
}

export function writeFenced(code: string, language = ''): string {
  const fence = shortestFence(code, 3)
  return `${fence}${language}\n${code}\n${fence}`
}
