import { type Definitions, keyOf, mergeDefinitions, NO_DEFINITIONS } from '../parse/definitions.ts'
import type { ParsedText } from '../parse/parse-markdown.ts'
import type { Cut } from './find-nested-cuts.ts'
import {
  FROM_START,
  type Piece,
  parseStretch,
  type Resume,
  readPieces,
  type Stretch,
} from './read-pieces.ts'

/** Definitions lead to other definitions, but not for long. */
const DEFINITION_ROUNDS_MAX = 3

/** The last part of a text that grows: where it begins, and what of it is read already. */
export interface LastPart {
  start: number
  resume: Resume
  definitions: Definitions
  /** The pieces that stay as they are as long as `key` does. */
  pieces: readonly Piece[]
  key: string
  tail: Tail
}

type Tail = Pick<Piece, 'start' | 'resume' | 'isTight'>

/** A last part of which nothing is read yet. */
export function startPart(
  start: number,
  resume: Resume = FROM_START,
  definitions: Definitions = NO_DEFINITIONS,
): LastPart {
  const tail = { start, resume, isTight: false }
  return { start, resume, definitions, pieces: [], key: '', tail }
}

/** A part as it was read up to an offset of the text. */
export interface ReadPart {
  pieces: readonly Piece[]
  definitions: Definitions
  parsed: ParsedText | undefined
  next: LastPart
}

/** Reads the last part up to an offset, and of that only what was not settled before. */
export function readPart(source: string, part: LastPart, end: number): ReadPart {
  let settled = part.pieces
  let fresh: readonly Piece[] = []
  let definitions = definitionsOf(part, settled)
  let { key } = part
  let parsed: ParsedText | undefined
  readFresh()
  // A definition changes the pieces that refer to it, and is itself shown where none does.
  for (let round = 0; round < DEFINITION_ROUNDS_MAX && keyOf(definitions) !== key; round++) {
    key = keyOf(definitions)
    settled = settled.flatMap((piece) => (piece.mayRefer ? readAgain(piece) : [piece]))
    readFresh()
  }

  const stable = fresh.slice(0, countSettled(source, fresh, end))
  const tail = fresh[stable.length] ?? part.tail
  const next = { ...part, key, pieces: [...settled, ...stable], tail }
  return { pieces: [...settled, ...fresh], definitions, parsed, next }

  function readFresh(): void {
    const opensMessage = settled.length === 0
    const stretch = { ...part.tail, source, end, definitions, opensMessage }
    parsed = parseStretch(stretch, parsed)
    fresh = readTail(stretch, parsed)
    definitions = definitionsOf(part, [...settled, ...fresh])
  }

  function readAgain(piece: Piece): Piece[] {
    const { start, end: pieceEnd, resume } = piece
    if (start === pieceEnd) return [piece]
    const read = readPieces({ source, start, end: pieceEnd, resume, definitions })
    return read.map((again) => ({ ...again, isTight: piece.isTight }))
  }
}

/** The pieces of a part that was read to the end of its text, with its end closed for the moment. */
export function closePart(
  source: string,
  { definitions, parsed, next }: ReadPart,
): readonly Piece[] {
  const { pieces, tail } = next
  const opensMessage = pieces.length === 0
  const end = source.length
  const stretch = { ...tail, source, end, definitions, opensMessage, isInterim: true }
  return [...pieces, ...readTail(stretch, parseStretch(stretch, parsed))]
}

/** Ends a part at a cut, which may run through a piece. Returns its pieces, and the part after it. */
export function cutPart(
  source: string,
  part: LastPart,
  { pieces, cut }: { pieces: readonly Piece[]; cut: Cut },
): { pieces: readonly Piece[]; next: LastPart } {
  const shown = readUpTo(source, part, { pieces, end: cut.offset })
  const { links } = definitionsOf(part, shown)
  const definitions = links.size === 0 ? NO_DEFINITIONS : { ...NO_DEFINITIONS, links }
  return { pieces: shown, next: startPart(cut.offset, cut.resume, definitions) }
}

function readUpTo(
  source: string,
  part: LastPart,
  { pieces, end }: { pieces: readonly Piece[]; end: number },
): readonly Piece[] {
  const shown = pieces.filter((piece) => piece.end <= end)
  // Without the definitions after the cut, the pieces before it may say something else.
  const areSame = pieces.every((piece) => piece.end <= end || piece.definitions === NO_DEFINITIONS)
  if (!areSame) {
    return readPart(source, startPart(part.start, part.resume, part.definitions), end).pieces
  }
  const crossing = pieces.find((piece) => piece.start < end && piece.end > end)
  if (crossing === undefined) return shown
  const { start, resume } = crossing
  const definitions = definitionsOf(part, shown)
  const opensMessage = shown.length === 0
  return [...shown, ...readPieces({ source, start, end, resume, definitions, opensMessage })]
}

function readTail(stretch: Stretch & Tail, parsed: ParsedText): Piece[] {
  const [first, ...rest] = readPieces(stretch, parsed)
  return first ? [{ ...first, isTight: stretch.isTight }, ...rest] : []
}

function definitionsOf({ definitions }: LastPart, pieces: readonly Piece[]): Definitions {
  return mergeDefinitions([definitions, ...pieces.map((piece) => piece.definitions)])
}

/**
 * How many of the pieces no longer text can change: those that are followed by a whole line of another
 * piece, or by a blank line.
 */
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
  // Not every block that can begin a text can begin right below a definition.
  while (pieces[count - 1]?.type === 'definition' && !isBlankBefore(pieces[count])) count--
  return count

  function isBlankBefore(below: Piece | undefined): boolean {
    return source.endsWith('\n\n', below?.start)
  }
}
