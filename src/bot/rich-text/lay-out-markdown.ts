import { skipBlankLines } from './parse/characters.ts'
import { leaveOutHidden, type ShownBeginning } from './parse/hidden-characters.ts'
import { chooseCut } from './split/choose-cut.ts'
import { joinBlocks } from './split/details.ts'
import type { Cut } from './split/find-nested-cuts.ts'
import {
  closePart,
  cutPart,
  type LastPart,
  type ReadPart,
  readPart,
  startPart,
} from './split/read-part.ts'
import type { Piece } from './split/read-pieces.ts'
import { needsOf, type RichNeed } from './write/rich-needs.ts'
import { writeTextLines } from './write/write-text.ts'

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

/** The part of a longer text that one message shows. */
export interface RichPart {
  /** The stretch of the source that it shows: from `start` up to, not with, `end`. */
  start: number
  end: number
  /** Telegram's Markdown. Never blank. */
  markdown: string
  needs: readonly RichNeed[]
}

/** A text laid out in messages, with what is needed to lay out a longer one quickly. */
export interface RichLayout {
  parts: readonly RichPart[]
  state: LayoutState
}

export interface LayoutOptions {
  /** The layout of the beginning of the same text. It changes the cost, not the outcome. */
  after?: RichLayout | undefined
  isInterim: boolean
  partChars?: number
  plainChars?: number
}

interface LayoutState {
  beginning?: ShownBeginning
  settled: readonly RichPart[]
  /** Its offsets are those of what is shown of the source. */
  last: LastPart
}

/**
 * Lays out a model's Markdown in messages, each as Telegram takes it.
 *
 * While a text grows only its last part changes. What would mislead its reader unseen is left out.
 *
 * @returns No part for a blank text.
 */
export function layOutMarkdown(
  text: string,
  { after, isInterim, partChars = PART_CHARS, plainChars = partChars }: LayoutOptions,
): RichLayout {
  const {
    text: source,
    toSource,
    beginning,
  } = leaveOutHidden(withOneLineEnd(text), after?.state.beginning)
  let { settled, last }: LayoutState = after?.state ?? { settled: [], last: startPart(0) }
  for (;;) {
    last = withoutBlankLines(source, last)
    const { start } = last
    const rest = source.slice(start)
    if (rest.trim() === '') return { parts: settled, state: { beginning, settled, last } }
    const judgedUntil = start + plainChars
    let { read, cut } = readToCut(source, last, plainChars)
    if (
      cut !== undefined &&
      partChars > plainChars &&
      needsOfAll(read.pieces, judgedUntil).length > 0
    )
      ({ read, cut } = readToCut(source, last, partChars))
    if (cut === undefined) {
      const pieces = isInterim ? closePart(source, read) : read.pieces
      const markdown = toMarkdown(pieces, isInterim ? '' : rest)
      // What is half written may be read in one way and then in another: a message shall not go back and forth.
      const before = isInterim ? (after?.parts[settled.length]?.needs ?? []) : []
      const needs = [...new Set([...before, ...needsOfAll(pieces, judgedUntil)])]
      const part = { start: toSource(start), end: text.length, markdown, needs }
      return { parts: [...settled, part], state: { beginning, settled, last: read.next } }
    }
    const end = cut.offset
    const { pieces, next } = cutPart(source, last, { pieces: read.pieces, cut })
    const markdown = toMarkdown(pieces, source.slice(start, end))
    const needs = needsOfAll(pieces, judgedUntil)
    settled = [...settled, { start: toSource(start), end: toSource(end), markdown, needs }]
    last = next
  }
}

function readToCut(
  source: string,
  last: LastPart,
  chars: number,
): { read: ReadPart; cut: Cut | undefined } {
  const { start } = last
  const charsMax = Math.min(chars, linesEnd(source, start) - start)
  const window = windowEnd(source, start, charsMax)
  const read = readPart(source, last, window ?? source.length)
  return { read, cut: findCut(source, read, { window, charsMax }) }
}

/**
 * Judges what a message has to be a rich one for, by its pieces that begin before an offset: those after it may be in
 * the next one yet.
 */
function needsOfAll(pieces: readonly Piece[], until: number): RichNeed[] {
  return needsOf(pieces.flatMap((piece) => (piece.start < until ? [...piece.signs] : [])))
}

/** Lines are counted by one sign. A carriage return at the end of the text may get its partner yet. */
function withOneLineEnd(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r(?!\n|$)/g, '\n') : text
}

/**
 * How far a text has to be known for its first message to be cut: up to the end of the line after the
 * one that exceeds the limit. The text after that changes nothing.
 *
 * @returns Nothing if the text may fit so far.
 */
function windowEnd(source: string, start: number, charsMax: number): number | undefined {
  const line = source.indexOf('\n', start + charsMax)
  const next = line === -1 ? -1 : source.indexOf('\n', line + 1)
  const longest = start + charsMax * LATE_FACTOR
  if (next !== -1 && next < longest) return next + 1
  return source.length > longest ? longest : undefined
}

function linesEnd(source: string, start: number): number {
  let end = start
  for (let lines = 0; lines < PART_LINES_MAX; lines++) {
    end = source.indexOf('\n', end) + 1
    if (end === 0) return Number.POSITIVE_INFINITY
  }
  return end
}

function findCut(
  source: string,
  { pieces, next }: ReadPart,
  { window, charsMax }: { window: number | undefined; charsMax: number },
): Cut | undefined {
  let blocks = 0
  for (const [index, piece] of next.pieces.entries()) {
    blocks += piece.blocks
    const isFull = blocks > PART_BLOCKS_MAX && index > 0
    if (isFull && piece.start < next.start + charsMax) {
      return { offset: piece.start, resume: piece.resume, level: 0 }
    }
  }
  return window === undefined ? undefined : chooseCut(source, pieces, charsMax)
}

/** A message does not begin with blank lines, unless they belong to the code it begins with. */
function withoutBlankLines(source: string, part: LastPart): LastPart {
  if (part.pieces.length > 0 || part.resume.prelude !== '') return part
  const start = skipBlankLines(source, part.start)
  return start === part.start ? part : startPart(start, part.resume, part.definitions)
}

/** Writes the Markdown of a part. A source that shows nothing as Markdown is shown as text. */
function toMarkdown(pieces: readonly Piece[], source: string): string {
  // A text that is cut anywhere may end in half a character.
  const markdown = joinBlocks(pieces).toWellFormed()
  if (markdown.trim() !== '' && markdown.length <= MARKDOWN_CHARS_MAX) return markdown
  const text = writeTextLines(source.toWellFormed())
  return text === '' ? NOTHING_YET : text
}
