import type { FootnoteReference, Image, ImageReference, Link, LinkReference } from 'mdast'
import type { InlineMath } from 'mdast-util-math'
import { classOf } from '../parse/characters.ts'
import type { Definitions } from '../parse/definitions.ts'
import { type Inline, type MarkedSpan, pairTags, type TagSpan } from '../parse/inline-tags.ts'
import { isAcceptedUrl, writeUrl } from '../parse/link-url.ts'
import { shortestFence } from './fence.ts'
import { escapeText } from './write-text.ts'

/** Telegram takes 16 levels of blocks and formatting together. */
const DEPTH_MAX = 15

/** Where a stretch of inline content stands. */
export interface InlinePlace {
  definitions: Definitions
  /** The characters around it; empty at the edges of a line. */
  before: string
  after: string
  /** Blocks and formatting around it. */
  depth: number
  isOneLine: boolean
  isCell: boolean
  isLinkText: boolean
  /** Whether formatting stands around. */
  isMarked: boolean
  /** Whether a tag that is not ended yet is ended for the moment. */
  closesOpen: boolean
}

/** Writes inline content in Telegram's Markdown. */
export function writeInline(nodes: readonly Inline[], place: InlinePlace): string {
  const paired = joinTexts(pairTags(nodes, place))
  let written = ''
  let { before } = place
  for (const [index, node] of paired.entries()) {
    const next = paired[index + 1]
    const after = next ? firstCharacter(next) : place.after
    const piece = writeNode(node, { ...place, before, after })
    const needsEscape = piece.startsWith('[') && before === '!' && written !== ''
    written = needsEscape ? `${written.slice(0, -1)}\\!${piece}` : written + piece
    before = piece === '' ? before : piece.slice(-1)
  }
  return written
}

function writeNode(node: Inline, place: InlinePlace): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return writeText(node.value, place)
    case 'inlineCode':
      return writeCode(node.value, place)
    case 'inlineMath':
      return writeMath(node, place)
    case 'break':
      if (place.isOneLine) return ' '
      return isLineStart(place) ? '' : '  \n'
    case 'strong':
    case 'emphasis':
    case 'delete':
      return writeMarked(node, place)
    case 'tagSpan':
      return writeTagSpan(node, place)
    case 'link':
    case 'linkReference':
      return writeLink(node, place)
    case 'image':
    case 'imageReference':
      return writeImage(node, place)
    case 'footnoteReference':
      return writeFootnoteReference(node, place)
  }
}

function writeText(text: string, place: InlinePlace): string {
  return escapeText(text, { ...place, isLineStart: isLineStart(place) })
}

function isLineStart({ before, isOneLine }: InlinePlace): boolean {
  return !isOneLine && (before === '' || before === '\n')
}

/** Between its signs there are as many backticks as the code itself has nowhere. */
function writeCode(code: string, place: InlinePlace): string {
  const value = code.replaceAll('\n', ' ').replaceAll('\t', ' ')
  if (value.trim() === '') return ''
  // Behind a backslash a sign between cells cannot be written as code.
  if (place.isCell && value.includes('\\|')) return writeText(value, place)
  const fence = shortestFence(value)
  const isPadded = value.startsWith('`') || value.endsWith('`') || /^ .* $/.test(value)
  const inside = place.isCell ? value.replaceAll('|', '\\|') : value
  const padding = isPadded ? ' ' : ''
  return `${fence}${padding}${inside}${padding}${fence}`
}

/** A formula that cannot stand between single dollar signs is shown as text. */
function writeMath({ value }: InlineMath, place: InlinePlace): string {
  const formula = value.replaceAll('\n', ' ').trim()
  if (formula === '') return ''
  const source = place.isCell
    ? formula.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ')
    : formula
  const isSafe = !source.includes('$') && !/\d/.test(place.after) && place.before !== '$'
  return isSafe ? `$${source.trim()}$` : writeText(formula, place)
}

const SIGNS = { strong: ['**', '__'], emphasis: ['*', '_'], delete: ['~~'] } as const
const TAGS = { strong: 'b', emphasis: 'i', delete: 's' } as const

/** Writes a stretch between signs, or between tags where signs would be read as text. */
function writeMarked({ type, children }: MarkedSpan, place: InlinePlace): string {
  if (place.depth >= DEPTH_MAX) return writeInline(children, place)
  const sign = SIGNS[type].find((candidate) => isReadable(candidate, children, place))
  const [open, close] = sign ? [sign, sign] : [`<${TAGS[type]}>`, `</${TAGS[type]}>`]
  return writeBetween(children, { open, close }, place)
}

function writeTagSpan({ name, children }: TagSpan, place: InlinePlace): string {
  if (place.depth >= DEPTH_MAX) return writeInline(children, place)
  return writeBetween(children, { open: `<${name}>`, close: `</${name}>` }, place)
}

function writeBetween(
  children: readonly Inline[],
  { open, close }: { open: string; close: string },
  place: InlinePlace,
): string {
  const inside = writeInline(children, {
    ...place,
    before: open.slice(-1),
    after: close.charAt(0),
    depth: place.depth + 1,
    isMarked: true,
  })
  const core = inside.trim()
  if (core === '') return inside
  // A tag alone on a line would begin a block.
  const at = inside.indexOf(core)
  const [lead, trail] = [inside.slice(0, at), inside.slice(at + core.length)]
  return `${lead}${open}${core}${close}${trail}`
}

/** Whether the signs would be read as what they stand for, by the rules of CommonMark. */
function isReadable(
  sign: string,
  children: readonly Inline[],
  { before, after, isMarked }: InlinePlace,
): boolean {
  const character = sign.charAt(0)
  const [first, last] = [children[0], children.at(-1)]
  if (first === undefined || last === undefined) return false
  if (before === character || after === character) return false
  const around = [classOf(before), classOf(after)]
  const inside = [classOf(firstCharacter(first)), classOf(lastCharacter(last))]
  if (inside.includes('blank')) return false
  const needsAir = character === '_' || isMarked
  return around.every((outer, at) => {
    if (outer === 'word') return inside[at] === 'word' && !needsAir
    // Between two signs it could as well be the end of what stands around.
    return outer === 'blank' || inside[at] === 'word' || !isMarked
  })
}

/** The first character of what a node is written as, or one of the same class. */
function firstCharacter(node: Inline): string {
  if (node.type === 'text') return node.value.charAt(0)
  if (node.type === 'break') return '\n'
  return '<'
}

function lastCharacter(node: Inline): string {
  if (node.type === 'text') return node.value.slice(-1)
  return node.type === 'break' ? '\n' : '>'
}

function writeLink(node: Link | LinkReference, place: InlinePlace): string {
  const url = node.type === 'link' ? node.url : place.definitions.links.get(node.identifier)
  if (url === undefined || place.isLinkText || place.depth >= DEPTH_MAX || !isAcceptedUrl(url)) {
    const text = writeInline(node.children, place)
    const isHidden =
      !place.isLinkText &&
      node.type === 'link' &&
      url !== undefined &&
      url !== '' &&
      !isShown(url, text)
    return isHidden ? `${text}${writeText(` (${url})`, { ...place, before: ')' })}` : text
  }
  const inside = { ...place, before: '[', after: ']', depth: place.depth + 1, isLinkText: true }
  const text = writeInline(node.children, inside).trim()
  return `[${text === '' ? writeText(url, inside) : text}](${writeUrl(url)})`
}

/** Whether the text of a link says its address already. */
function isShown(url: string, text: string): boolean {
  const bare = text.replaceAll('\\', '').trim()
  return url === bare || url === `mailto:${bare}` || url === `http://${bare}`
}

/** Telegram would have to fetch a picture from an address that a model made up: it becomes a link. */
function writeImage(node: Image | ImageReference, place: InlinePlace): string {
  const text = node.alt ? [{ type: 'text' as const, value: node.alt }] : []
  if (node.type === 'image') return writeLink({ ...node, type: 'link', children: text }, place)
  return writeLink({ ...node, type: 'linkReference', children: text }, place)
}

function writeFootnoteReference(
  { identifier, label }: FootnoteReference,
  place: InlinePlace,
): string {
  const isKnown = place.definitions.footnotes.has(identifier)
  return isKnown ? `[^${identifier}]` : writeText(`[^${label ?? identifier}]`, place)
}

/** Tags that became text stand beside text: what is doubled is seen only in one piece. */
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
