import { type DefinitionSet, keyOf, mergeDefinitions, NO_DEFINITIONS } from './parse/definitions.ts'
import type { ParsedText } from './parse/parse-markdown.ts'
import { chooseCut } from './split/choose-cut.ts'
import type { Cut } from './split/nested-cuts.ts'
import {
  FROM_START,
  joinPieces,
  type Piece,
  parseStretch,
  type Resume,
  readPieces,
  type Stretch,
} from './split/pieces.ts'
import { writeTextLines } from './write/write-text.ts'

/** An answer goes on in a next message about here: clients fold what is longer. */
const PART_CHARS = 8000
/** Of short lines a message has no more: what is read to cut it is read in one go. */
const PART_LINES_MAX = 300
/** Without an end of a line near it, so much further. */
const LATE_FACTOR = 1.25
/** Telegram takes 500. */
const PART_BLOCKS_MAX = 300
/** More formatting than text: such a part is sent without it. */
const MARKDOWN_CHARS_MAX = 100_000
/** Names lead to other names, but not for long. */
const NAME_ROUNDS_MAX = 3
/** Stands in for a part that shows nothing yet. */
export const NOTHING_YET = '…'

/** What one message shows of a longer text. */
export interface RichPart {
  /** The stretch of the source that it stands for: from `start` up to, not with, `end`. */
  start: number
  end: number
  /** Telegram's Markdown. Never blank. */
  markdown: string
}

/** A text laid out in messages, with what is needed to lay out a longer one quickly. */
export interface RichLayout {
  parts: readonly RichPart[]
  memory: Memory
}

interface Memory {
  /** The parts that stay as they are. */
  settled: readonly RichPart[]
  /** Where the last part begins, and how. */
  start: number
  resume: Resume
  /** What the earlier parts define. */
  names: DefinitionSet
  /** The pieces of the last part that stay as they are, as long as no other names are known. */
  pieces: readonly Piece[]
  key: string
  /** How the rest of it begins. */
  tail: Tail
}

type Tail = Pick<Piece, 'start' | 'resume' | 'isTight'>

const NOTHING: Memory = {
  settled: [],
  start: 0,
  resume: FROM_START,
  names: NO_DEFINITIONS,
  pieces: [],
  key: '',
  tail: { start: 0, resume: FROM_START, isTight: false },
}

/**
 * Lays out a model's Markdown in messages, each as Telegram takes it.
 *
 * While a text grows only its last part changes.
 *
 * @param after The layout of the beginning of the same text. It changes the cost, not the outcome.
 * @param isInterim Whether the text goes on: what is open at its end is closed for the moment.
 * @param partChars About how much of the text one message shows.
 * @returns No part for a blank text.
 */
export function layOutMarkdown(
  text: string,
  {
    after,
    isInterim,
    partChars = PART_CHARS,
  }: { after?: RichLayout | undefined; isInterim: boolean; partChars?: number },
): RichLayout {
  const source = withOneLineEnd(text)
  let memory = after?.memory ?? NOTHING
  for (;;) {
    memory = skipBlankLines(source, memory)
    const { start, settled } = memory
    const rest = source.slice(start)
    if (rest.trim() === '') return { parts: settled, memory }
    const room = Math.min(partChars, linesEnd(source, start) - start)
    const window = windowEnd(source, start, room)
    const read = readPart(source, memory, window ?? source.length)
    const cut = findCut(source, read, { window, room })
    if (cut === undefined) {
      const pieces = isInterim ? closeLast(source, read) : read.pieces
      const markdown = toMarkdown(pieces, isInterim ? '' : rest)
      const part = { start, end: source.length, markdown }
      return { parts: [...settled, part], memory: read.next }
    }
    memory = settlePart(source, memory, read, cut)
  }
}

/** Lines are counted by one sign. A carriage return at the end of the text may get its partner yet. */
function withOneLineEnd(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r(?!\n|$)/g, '\n') : text
}

/**
 * How far a text has to be known for its first message to be cut: a line behind the one that the
 * message has no room for. What stands behind it changes nothing.
 *
 * @returns Nothing if the text may still fit.
 */
function windowEnd(source: string, start: number, room: number): number | undefined {
  const line = source.indexOf('\n', start + room)
  const next = line === -1 ? -1 : source.indexOf('\n', line + 1)
  const longest = start + room * LATE_FACTOR
  if (next !== -1 && next < longest) return next + 1
  return source.length > longest ? longest : undefined
}

/** Where the last line ends that a message has room for, if there are so many. */
function linesEnd(source: string, start: number): number {
  let end = start
  for (let lines = 0; lines < PART_LINES_MAX; lines++) {
    end = source.indexOf('\n', end) + 1
    if (end === 0) return Number.POSITIVE_INFINITY
  }
  return end
}

interface ReadPart {
  pieces: readonly Piece[]
  /** What this part and the earlier ones define and refer to. */
  names: DefinitionSet
  /** The rest of it, from the last piece that stays on, as it was parsed. */
  parsed: ParsedText | undefined
  next: Memory
}

/** Reads the last part: what is settled is taken from memory. */
function readPart(source: string, memory: Memory, end: number): ReadPart {
  let settled = memory.pieces
  let fresh: readonly Piece[] = []
  let names = namesOf(memory, settled)
  let { key } = memory
  let parsed: ParsedText | undefined
  readFresh()
  // A definition changes what refers to it, and is shown itself where nothing does.
  for (let round = 0; round < NAME_ROUNDS_MAX && keyOf(names) !== key; round++) {
    key = keyOf(names)
    settled = settled.flatMap((piece) => (piece.mayRefer ? readAgain(piece) : [piece]))
    readFresh()
  }

  const stable = fresh.slice(0, countSettled(source, fresh, end))
  const tail = fresh[stable.length]
  const next = {
    ...memory,
    key,
    pieces: [...settled, ...stable],
    tail: tail ?? memory.tail,
  }
  return { pieces: [...settled, ...fresh], names, parsed, next }

  function readFresh(): void {
    const opensMessage = settled.length === 0
    const stretch = { ...memory.tail, source, end, names, opensMessage, isInterim: false }
    parsed = parseStretch(stretch, parsed)
    fresh = readTail(stretch, parsed)
    names = namesOf(memory, [...settled, ...fresh])
  }

  function readAgain(piece: Piece): Piece[] {
    const { start, end: pieceEnd, resume } = piece
    if (start === pieceEnd) return [piece]
    const stretch = { source, start, end: pieceEnd, resume, names }
    const read = readPieces({ ...stretch, opensMessage: false, isInterim: false })
    return read.map((again) => ({ ...again, isTight: piece.isTight }))
  }
}

function readTail(stretch: Stretch & Tail, parsed: ParsedText): Piece[] {
  const [first, ...rest] = readPieces(stretch, parsed)
  return first ? [{ ...first, isTight: stretch.isTight }, ...rest] : []
}

function namesOf({ names }: Memory, pieces: readonly Piece[]): DefinitionSet {
  return mergeDefinitions([names, ...pieces.map((piece) => piece.names)])
}

/** How many pieces nothing can change that follows: a whole line stands behind each, or a blank one. */
function countSettled(source: string, pieces: readonly Piece[], end: number): number {
  const last = pieces.findLastIndex((piece) => {
    const line = source.indexOf('\n', piece.start)
    // The second line of a table decides whether it is one.
    const decisive = piece.type === 'table' ? source.indexOf('\n', line + 1) : line
    return line !== -1 && decisive !== -1 && decisive < end
  })
  const [piece, next] = pieces.slice(Math.max(last, 0))
  const isOver = piece?.type === 'paragraph' && source.endsWith('\n\n', piece.end)
  let count = Math.max(isOver && next !== undefined ? last + 1 : last, 0)
  // Right below a definition not everything may begin that may at the start of a text.
  while (pieces[count - 1]?.type === 'definition' && !isBlankBefore(pieces[count])) count--
  return count

  function isBlankBefore(below: Piece | undefined): boolean {
    return source.endsWith('\n\n', below?.start)
  }
}

/** The pieces of the last part, with what is open at its end closed for the moment. */
function closeLast(source: string, { names, parsed, next }: ReadPart): readonly Piece[] {
  const { pieces, tail } = next
  const opensMessage = pieces.length === 0
  const stretch = { ...tail, source, end: source.length, names, opensMessage, isInterim: true }
  return [...pieces, ...readTail(stretch, parseStretch(stretch, parsed))]
}

function findCut(
  source: string,
  read: ReadPart,
  { window, room }: { window: number | undefined; room: number },
): Cut | undefined {
  const { pieces, next } = read
  let blocks = 0
  for (const [index, piece] of next.pieces.entries()) {
    blocks += piece.blocks
    const isFull = blocks > PART_BLOCKS_MAX && index > 0
    if (isFull && piece.start < next.start + room) {
      return { offset: piece.start, resume: piece.resume, level: 0 }
    }
  }
  return window === undefined ? undefined : chooseCut(source, pieces, room)
}

function settlePart(
  source: string,
  memory: Memory,
  { pieces }: ReadPart,
  { offset, resume }: Cut,
): Memory {
  const { start } = memory
  const isWhole = pieces.every((piece) => piece.end <= offset || piece.names === NO_DEFINITIONS)
  const shown = isWhole
    ? pieces.filter((piece) => piece.end <= offset)
    : readPart(source, restart(memory), offset).pieces
  const crossing = isWhole && pieces.find((piece) => piece.start < offset && piece.end > offset)
  const rest = crossing
    ? readPieces({
        source,
        start: crossing.start,
        end: offset,
        resume: crossing.resume,
        names: namesOf(memory, shown),
        opensMessage: shown.length === 0,
        isInterim: false,
      })
    : []
  const markdown = toMarkdown([...shown, ...rest], source.slice(start, offset))
  const { links } = namesOf(memory, [...shown, ...rest])
  const names = links.size === 0 ? NO_DEFINITIONS : { ...NO_DEFINITIONS, links }
  const settled = [...memory.settled, { start, end: offset, markdown }]
  return restart({ ...memory, settled, start: offset, resume, names })
}

/** Forgets what was read of the last part. */
function restart(memory: Memory): Memory {
  const { start, resume } = memory
  return { ...memory, pieces: [], key: '', tail: { start, resume, isTight: false } }
}

/** A message does not begin with blank lines, unless they belong to the code it begins with. */
function skipBlankLines(source: string, memory: Memory): Memory {
  if (memory.pieces.length > 0 || memory.resume.prelude !== '') return memory
  let start = memory.start
  for (let at = start; at < source.length && source.charAt(at).trim() === ''; at++) {
    if (source.charAt(at) === '\n') start = at + 1
  }
  return start === memory.start ? memory : restart({ ...memory, start })
}

function toMarkdown(pieces: readonly Piece[], source: string): string {
  // A text that is cut anywhere may end in half a character.
  const markdown = joinPieces(pieces).toWellFormed()
  if (markdown.trim() !== '' && markdown.length <= MARKDOWN_CHARS_MAX) return markdown
  const text = writeTextLines(source.toWellFormed())
  return text === '' ? NOTHING_YET : text
}
