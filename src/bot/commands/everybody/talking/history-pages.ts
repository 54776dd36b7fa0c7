import type { TranscriptTurn } from '../../../talk/conversation/transcript.ts'

/** Turns are read for a page until it is full, so many at most. */
export const PAGE_TURNS_MAX = 6

/** A point in a conversation: a turn, and which piece of it. */
export interface Cursor {
  turnId: bigint
  piece: number
}

/** A stretch of a turn that stands on one page: the question with the beginning of the answer, or what follows. */
export interface HistoryPiece extends Cursor {
  markdown: string
}

export interface HistoryPage {
  /** The turns in order of time, never empty. */
  pieces: readonly HistoryPiece[]
  hasOlder: boolean
  hasNewer: boolean
}

/**
 * Fills a page with the pieces next to a cursor, as many as it holds, and one in any case.
 *
 * @param turns What `readTurns()` gives from the cursor on, one more than `PAGE_TURNS_MAX`.
 * @param after The cursor that the page follows, which is on another one; undefined at the newest end.
 * @returns Undefined where nothing follows.
 */
export function fillPage(
  turns: readonly TranscriptTurn[],
  {
    after,
    towards,
    charsMax,
    cut,
  }: {
    after: Cursor | undefined
    towards: 'older' | 'newer'
    charsMax: number
    cut: (turn: TranscriptTurn) => readonly HistoryPiece[]
  },
): HistoryPage | undefined {
  const isOlder = towards === 'older'
  const pieces: HistoryPiece[] = []
  let chars = 0
  let isFull = turns.length > PAGE_TURNS_MAX
  filling: for (const turn of turns.slice(0, PAGE_TURNS_MAX)) {
    const all = cut(turn)
    for (const piece of isOlder ? all.toReversed() : all) {
      if (after !== undefined && !isBeyond(piece, after, isOlder)) continue
      chars += piece.markdown.length
      if (pieces.length > 0 && chars > charsMax) {
        isFull = true
        break filling
      }
      pieces.push(piece)
    }
  }
  if (pieces.length === 0) return undefined
  return isOlder
    ? { pieces: pieces.reverse(), hasOlder: isFull, hasNewer: after !== undefined }
    : { pieces, hasOlder: true, hasNewer: isFull }
}

function isBeyond({ turnId, piece }: Cursor, after: Cursor, isOlder: boolean): boolean {
  if (turnId !== after.turnId) return isOlder ? turnId < after.turnId : turnId > after.turnId
  return isOlder ? piece < after.piece : piece > after.piece
}
