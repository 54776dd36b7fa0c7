import {
  type Block,
  type Carry,
  joinBlocks,
  NO_CARRY,
  needsOf,
  type RichNeed,
  readBlocks,
} from './blocks.ts'
import { skipBlankLines } from './characters.ts'
import { type Cut, cutBefore, cutBetween, cutInside } from './cut.ts'
import { leaveOutHidden } from './hidden.ts'
import { writeTextLines } from './write-text.ts'

/** About how much of a text one message shows: clients fold a longer one. */
const PART_CHARS = 8000
/** The most lines of a message: short ones hold fewer characters, and the text that is read to cut it has a bound. */
const PART_LINES_MAX = 300
/** A text with no line end near the limit has to be longer by this factor before it is cut. */
const LATE_FACTOR = 1.25
/** Telegram takes 500. */
const PART_BLOCKS_MAX = 300
/** A part with so much formatting is sent without it. */
const MARKDOWN_CHARS_MAX = 100_000
/** The Markdown of a part that shows nothing yet. */
export const NOTHING_YET = '…'
/** A definition changes the blocks before it. */
const DEFINITION = /^[ \t>*+\-\d.)]*\[[^\]\n]+\]:/m
/** How much of a growing text is read again and again before its beginning is settled. */
const TAIL_CHARS = 300

/** The part of a longer text that one message shows. */
export interface RichPart {
  /** The stretch of the source that it shows: from `start` up to, not with, `end`. */
  start: number
  end: number
  /** Telegram's Markdown. Never blank. */
  markdown: string
  needs: readonly RichNeed[]
}

/** A text laid out in messages, with the state that makes it quick to lay out a longer text. */
export interface RichLayout {
  parts: readonly RichPart[]
  state: LayoutState
}

export interface LayoutOptions {
  /** The layout of the beginning of the same text. It changes the cost, and hardly how a text looks while it grows. */
  after?: RichLayout | undefined
  isInterim: boolean
  partChars?: number
  plainChars?: number
}

interface LayoutState {
  settled: readonly RichPart[]
  /** How the last part begins. */
  carry: Carry
  /** Whether the last part has to be a rich message, whatever follows. */
  isRich: boolean
  grown: Grown
}

/** The blocks of the last part that no longer text changes. */
interface Grown {
  end: number
  carry: Carry
  isTight: boolean
  blocks: readonly Block[]
}

/**
 * Lays out a model's Markdown in messages, each as Telegram takes it.
 *
 * While a text grows only its last part changes. Characters that would mislead its reader unseen are left out.
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
    // Blank lines belong to the code that a message begins with.
    if (carry.prelude === '') from = skipBlankLines(shown, from)
    const source = shown.slice(from)
    const start = settled.at(-1)?.end ?? 0
    if (source.trim() === '') return { parts: settled, state: { settled, carry, isRich, grown } }
    const charsMax = isRich ? partChars : plainChars
    const read = readToCut(source, { carry, grown, charsMax, isInterim })
    grown = read.grown
    const { cut } = read
    if (
      cut !== undefined &&
      charsMax < partChars &&
      needsBefore(read.blocks, charsMax).length > 0
    ) {
      isRich = true
      continue
    }
    const end = cut === undefined ? text.length : origin + toSource(from + cut.offset)
    const blocks = cut === undefined && isInterim ? readGrown(source, grown, true) : read.blocks
    const markdown = toMarkdown(
      blocks,
      isInterim && cut === undefined ? '' : source.slice(0, cut?.offset),
    )
    const needs = needsBefore(blocks, plainChars)
    if (cut !== undefined) {
      from += cut.offset
      const parts = [...settled, { start, end, markdown, needs }]
      ;({ settled, carry, isRich, grown } = startPart(parts, cut.carry))
      continue
    }
    // A half construct may be read in one way and then in another: a message shall not change back and forth.
    const before = isInterim ? (after?.parts[settled.length]?.needs ?? []) : []
    const part = { start, end, markdown, needs: [...new Set([...before, ...needs])] }
    return { parts: [...settled, part], state: { settled, carry, isRich, grown } }
  }
}

function startPart(settled: readonly RichPart[], carry: Carry): LayoutState {
  return { settled, carry, isRich: false, grown: nothingGrown(carry) }
}

function nothingGrown(carry: Carry): Grown {
  return { end: 0, carry, isTight: false, blocks: [] }
}

/** Judges a message by its blocks that begin before an offset: those after it may be in the next one yet. */
function needsBefore(blocks: readonly Block[], until: number): RichNeed[] {
  return needsOf(blocks.filter(({ start }) => start < until))
}

/** The blocks of a message, up to its end if it is known. */
interface Read {
  blocks: readonly Block[]
  cut?: Cut | undefined
  grown: Grown
}

function readToCut(
  source: string,
  {
    carry,
    grown,
    charsMax,
    isInterim,
  }: Pick<LayoutState, 'carry' | 'grown'> & {
    charsMax: number
    isInterim: boolean
  },
): Read {
  const limit = Math.min(charsMax, linesEnd(source))
  const window = windowEnd(source, limit)
  const isShort = window === undefined && source.length - grown.end <= TAIL_CHARS
  if (isShort && isInterim) return { blocks: [], grown }
  const text = source.slice(0, window)
  const read = settleBlocks(text, carry, grown)
  const full = cutFull(text, read.blocks, limit)
  if (window === undefined && full === undefined) return read
  const between = full ?? cutBetween(read.blocks, limit)
  const cut = between ?? cutInside(readBlocks(text, carry), limit)
  const isSame = between !== undefined && !DEFINITION.test(text)
  const blocks = isSame
    ? read.blocks.filter(({ start }) => start < cut.offset)
    : readBlocks(text.slice(0, cut.offset), carry).blocks
  return { blocks, cut, grown: read.grown }
}

/** Reads a last part that has grown: only the text after the blocks that were settled before. */
function settleBlocks(source: string, carry: Carry, grown: Grown): Read {
  if (DEFINITION.test(source)) {
    return { blocks: readBlocks(source, carry).blocks, grown: nothingGrown(carry) }
  }
  const blocks = readGrown(source, grown, false)
  const count = countSettled(source, blocks)
  const next = blocks[count]
  if (next === undefined) return { blocks, grown }
  const settled = { ...next, end: next.start, blocks: blocks.slice(0, count) }
  return { blocks, grown: settled }
}

function readGrown(source: string, grown: Grown, isInterim: boolean): Block[] {
  const { end, carry, isTight } = grown
  const { blocks } = readBlocks(source.slice(end), carry, { isInterim })
  const tail = blocks.map((block, index) => ({
    ...block,
    start: block.start + end,
    end: block.end + end,
    isTight: index === 0 ? isTight : block.isTight,
  }))
  return [...grown.blocks, ...tail]
}

/**
 * Counts the blocks that no longer text can change: those that a whole line of another block follows, or a blank
 * line. The second line of a table decides whether it is one.
 */
function countSettled(text: string, blocks: readonly Block[]): number {
  let count = blocks.length - 1
  for (; count > 0; count--) {
    const { start = 0, type } = blocks[count] ?? {}
    const line = text.indexOf('\n', start)
    const isWhole = line !== -1 && (type !== 'table' || text.includes('\n', line + 1))
    const isAfterText = blocks[count - 1]?.type === 'paragraph' && text.endsWith('\n\n', start)
    const isRow = type === 'table' && blocks[count]?.isTight
    if ((isWhole || isAfterText) && !isRow) return count
  }
  return 0
}

/** Cuts a message that has as many blocks as it may have. */
function cutFull(text: string, blocks: readonly Block[], charsMax: number): Cut | undefined {
  let count = 0
  const settled = blocks.slice(0, countSettled(text, blocks))
  const over = settled.find((block) => {
    count += block.count
    return count > PART_BLOCKS_MAX && block.start > 0
  })
  return over && over.start <= charsMax ? cutBefore(over) : undefined
}

/** Lines are counted by one sign. A carriage return at the end of the text may get its partner yet. */
function withOneLineEnd(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r(?!\n|$)/g, '\n') : text
}

/**
 * Finds how far a text has to be known for its first message to be cut: up to the end of the line after the
 * line that exceeds the limit. The text after that changes nothing.
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

function linesEnd(source: string): number {
  let end = 0
  for (let lines = 0; lines < PART_LINES_MAX; lines++) {
    end = source.indexOf('\n', end) + 1
    if (end === 0) return Number.POSITIVE_INFINITY
  }
  return end
}

/** Writes the Markdown of a part. A source that shows nothing as Markdown is shown as text. */
function toMarkdown(blocks: readonly Block[], source: string): string {
  // A text that is cut anywhere may end in half a character.
  const markdown = joinBlocks(blocks).toWellFormed()
  if (markdown.trim() !== '' && markdown.length <= MARKDOWN_CHARS_MAX) return markdown
  const text = writeTextLines(source.toWellFormed())
  return text === '' ? NOTHING_YET : text
}
