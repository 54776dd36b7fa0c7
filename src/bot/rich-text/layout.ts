import type { Nodes } from 'mdast'
import {
  type Block,
  type Carry,
  joinBlocks,
  NO_CARRY,
  needsOf,
  type Reading,
  type RichNeed,
  readBlocks,
} from './blocks.ts'
import { characterStart, leaveOutHidden, skipBlankLines } from './characters.ts'
import { findInnerFence } from './masks.ts'
import { writeTextLines } from './write-inline.ts'

/** The approximate length of a message: clients fold longer messages. */
const PART_CHARS = 8000
/** How far a text without a line end near the limit may exceed it before a cut. */
const LATE_FACTOR = 1.25
/** Telegram accepts 500. */
const PART_BLOCKS_MAX = 300
/** Precedes the rest of a cut paragraph, so that it does not become another block. */
const TEXT_PRELUDE = '('
/** The Markdown of a part that shows nothing yet. */
export const NOTHING_YET = '…'
/** How much of a growing text is parsed again until its beginning is settled. */
const TAIL_CHARS = 300

export interface RichPart {
  /** The range of the source, without `end`. */
  start: number
  end: number
  /** Telegram's Markdown. Never blank. */
  markdown: string
  needs: readonly RichNeed[]
}

/** A text laid out in messages, with the state that speeds up the layout of a longer text. */
export interface RichLayout {
  parts: readonly RichPart[]
  state: LayoutState
}

export interface LayoutOptions {
  /** The layout of the beginning of the same text. It affects the cost, and hardly the result. */
  after?: RichLayout | undefined
  isInterim: boolean
  partChars?: number
  plainChars?: number
}

interface LayoutState {
  settled: readonly RichPart[]
  carry: Carry
  isRich: boolean
  grown: Grown
}

/** The blocks of the last part that growth cannot change. */
interface Grown {
  end: number
  carry: Carry
  isTight: boolean
  blocks: readonly Block[]
}

/**
 * Lays out a model's Markdown in messages that Telegram accepts.
 *
 * While a text grows only its last part changes. Omits invisible characters that would mislead the reader.
 *
 * @returns No part for a blank text.
 */
export function layOutMarkdown(
  text: string,
  { after, isInterim, partChars = PART_CHARS, plainChars = partChars }: LayoutOptions,
): RichLayout {
  let { settled, carry, isRich, grown } = after?.state ?? startPart([], NO_CARRY)
  const origin = settled.at(-1)?.end ?? 0
  const { text: shown, toSource } = leaveOutHidden(withOneLineEnd(text.slice(origin)))
  if (!isInterim) grown = nothingGrown(carry)
  let from = 0
  for (;;) {
    // Blank lines belong to code that begins a message.
    if (carry.prelude === '') from = skipBlankLines(shown, from)
    const source = shown.slice(from)
    const start = settled.at(-1)?.end ?? 0
    if (source.trim() === '') return { parts: settled, state: { settled, carry, isRich, grown } }
    const charsMax = isRich ? partChars : plainChars
    const read = readToCut(source, { carry, grown, charsMax, isInterim })
    const { cut } = read
    grown = read.grown
    if (cut === undefined) {
      const blocks = isInterim ? readGrown(source, grown, { isInterim }) : read.blocks
      const markdown = toMarkdown(blocks, isInterim ? '' : source)
      // The parser may read half a construct in two ways: the message must not change back and forth.
      const before = isInterim ? (after?.parts[settled.length]?.needs ?? []) : []
      const needs = [...new Set([...before, ...needsBefore(blocks, plainChars)])]
      const last = { start, end: text.length, markdown, needs }
      return { parts: [...settled, last], state: { settled, carry, isRich, grown } }
    }
    if (charsMax < partChars && needsBefore(read.blocks, charsMax).length > 0) isRich = true
    else {
      const stretch = source.slice(0, cut.offset)
      const { blocks } = cut.isBetween ? read : readBlocks(stretch, carry)
      const part = blocks.filter((block) => block.start < cut.offset)
      from += cut.offset
      const end = origin + toSource(from)
      const needs = needsBefore(read.blocks, plainChars)
      const parts = [...settled, { start, end, markdown: toMarkdown(part, stretch), needs }]
      ;({ settled, carry, isRich, grown } = startPart(parts, cut.carry))
    }
  }
}

function startPart(settled: readonly RichPart[], carry: Carry): LayoutState {
  return { settled, carry, isRich: false, grown: nothingGrown(carry) }
}

function nothingGrown(carry: Carry): Grown {
  return { end: 0, carry, isTight: false, blocks: [] }
}

/** Judges a message by its blocks before an offset: later blocks may move to the next message. */
function needsBefore(blocks: readonly Block[], until: number): RichNeed[] {
  return needsOf(blocks.filter(({ start }) => start < until))
}

interface ReadOptions extends Pick<LayoutState, 'carry' | 'grown'> {
  charsMax: number
  isInterim: boolean
}

function readToCut(source: string, { carry, grown, charsMax, isInterim }: ReadOptions) {
  const window = windowEnd(source, charsMax)
  const isShort = window === undefined && source.length - grown.end <= TAIL_CHARS
  if (isShort && isInterim) return { blocks: [], grown }
  const text = source.slice(0, window)
  const blocks = readGrown(text, grown, { isInterim: false })
  const count = countSettled(text, blocks)
  const next = blocks[count]
  const settled = next ? { ...next, end: next.start, blocks: blocks.slice(0, count) } : grown
  const full = findOverfull(blocks.slice(0, count), charsMax)
  if (window === undefined && full === undefined) return { blocks, grown: settled }
  const block = full ?? chooseBlock(blocks, charsMax)
  const cut = block
    ? { offset: block.start, carry: block.carry }
    : cutInside(readBlocks(text, carry), charsMax)
  return { blocks, grown: settled, cut: { ...cut, isBetween: block !== undefined } }
}

function readGrown(
  source: string,
  { end, carry, isTight, blocks }: Grown,
  { isInterim }: { isInterim: boolean },
): Block[] {
  const tail = readBlocks(source.slice(end), carry, { isInterim }).blocks.map((block, index) => ({
    ...block,
    start: block.start + end,
    isTight: index === 0 ? isTight : block.isTight,
  }))
  return [...blocks, ...tail]
}

/**
 * Counts the blocks that growth cannot change: before a whole line of another block, or before a blank line.
 * The second line of a table decides whether it is a table.
 */
function countSettled(text: string, blocks: readonly Block[]): number {
  const count = blocks.findLastIndex(({ start, type, isTight }, index) => {
    const before = blocks[index - 1]
    const line = text.indexOf('\n', start)
    const isWhole = line !== -1 && (type !== 'table' || text.includes('\n', line + 1))
    const isAfterText = before?.type === 'paragraph' && text.endsWith('\n\n', start)
    const isInside = (type === 'table' && isTight) || before?.start === start
    return (isWhole || isAfterText) && !isInside
  })
  return Math.max(count, 0)
}

/** Uses one sign for line ends. A final carriage return may still get its partner. */
function withOneLineEnd(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r(?!\n|$)/g, '\n') : text
}

/**
 * Finds the end of the line after the line that exceeds the limit. Later text does not affect the first cut.
 *
 * @returns Nothing if the text may fit so far.
 */
function windowEnd(source: string, charsMax: number): number | undefined {
  const line = source.indexOf('\n', charsMax)
  const next = line === -1 ? -1 : source.indexOf('\n', line + 1)
  const longest = charsMax * LATE_FACTOR
  if (next !== -1 && next < longest) return next + 1
  return source.length > longest ? longest : undefined
}

function toMarkdown(blocks: readonly Block[], source: string): string {
  // A cut may end in half a character.
  const markdown = joinBlocks(blocks).toWellFormed()
  if (markdown.trim() !== '') return markdown
  const text = writeTextLines(source.toWellFormed())
  return text === '' ? NOTHING_YET : text
}

/** Finds the block that exceeds the block limit of a message. */
function findOverfull(blocks: readonly Block[], charsMax: number): Block | undefined {
  let count = 0
  const over = blocks.find((block) => {
    count += block.count
    return count > PART_BLOCKS_MAX && block.start > 0
  })
  return over && over.start <= charsMax ? over : undefined
}

/** Chooses the first block of the next message: in the second half of this message, and never after a heading. */
function chooseBlock(blocks: readonly Block[], charsMax: number): Block | undefined {
  const late = blocks.filter(
    ({ start }, index) =>
      start >= charsMax / 2 && start <= charsMax && blocks[index - 1]?.type !== 'heading',
  )
  return late.findLast(({ isTight }) => !isTight) ?? late.at(-1)
}

/** Cuts a text at a line of a block, else at a word, and opens the block again. */
function cutInside(
  { text, root, opening }: Reading,
  charsMax: number,
): { offset: number; carry: Carry } {
  const limit = opening + charsMax
  let lineEnd = text.lastIndexOf('\n', limit - 1)
  // Telegram trims blank lines at the end of a message, but shows those with which code begins.
  while (text.charAt(lineEnd - 1) === '\n') lineEnd -= 1
  const cuts = [lineEnd + 1, text.lastIndexOf(' ', limit - 1) + 1]
  const at = cuts.find((cut) => cut > limit - charsMax / 2) ?? characterStart(text, limit, opening)
  return { offset: at - opening, carry: openAt(at) }

  function openAt(offset: number): Carry {
    let line = ''
    let number: number | undefined
    const isLine = text.charAt(offset - 1) === '\n'
    for (const [index, node] of pathTo(root, offset).entries()) {
      const { column = 1, offset: from = 0 } = node.position?.start ?? {}
      const rest = text.slice(from, text.indexOf('\n', from))
      if (node.type === 'blockquote') line = `${line.padEnd(column - 1)}>`
      else if (node.type === 'listItem') {
        line = line.padEnd(column - 1) + (/^(?:[-*+]|\d+[.)])/.exec(rest)?.[0] ?? '')
      } else if (node.type === 'list' && node.ordered && index === 0) {
        const before = node.children.filter(({ position }) => (position?.end.offset ?? 0) <= offset)
        number = (node.start ?? 1) + before.length
      } else if (isCode(node) && /^(?:`{3}|~{3}|\$\$|\\\[)/.test(rest)) {
        const lead = line.padEnd(column - 1)
        const margin = isLine ? '' : lead.replaceAll(/[^>]/g, ' ')
        const inner = findInnerFence(text, offset)
        const fences = inner ? `${rest}\n${lead.replaceAll(/[^>]/g, ' ')}${inner}` : rest
        return { prelude: `${lead}${fences}\n${margin}`, number }
      }
    }
    if (line === '') return { prelude: TEXT_PRELUDE }
    return { prelude: isLine ? `${line}\n` : `${line} ${TEXT_PRELUDE}`, number }
  }
}

function pathTo(node: Nodes, offset: number): Nodes[] {
  const children: readonly Nodes[] = 'children' in node ? node.children : []
  const inner = children.find(
    ({ position }) =>
      (position?.start.offset ?? offset) < offset && (position?.end.offset ?? 0) > offset,
  )
  return inner ? [inner, ...pathTo(inner, offset)] : []
}

function isCode({ type }: Nodes): boolean {
  return type === 'code' || type === 'math'
}
