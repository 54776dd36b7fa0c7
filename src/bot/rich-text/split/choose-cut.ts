import { characterStart } from '../parse/characters.ts'
import { type Cut, findNestedCuts } from './find-nested-cuts.ts'
import { FROM_START, type Piece, type Resume } from './read-pieces.ts'

/** The sign in front of the rest of a cut paragraph that keeps it from becoming another block. */
const TEXT_PRELUDE = '('

const TEXT: Resume = { prelude: TEXT_PRELUDE, numbers: [] }

/**
 * Chooses where a text that is too long for one message is cut: between blocks, else items or rows,
 * else inside of them, else between lines or words. Never right after a heading.
 *
 * @param charsMax How much of the text the message may show.
 */
export function chooseCut(source: string, pieces: readonly Piece[], charsMax: number): Cut {
  const start = pieces[0]?.start ?? 0
  const limit = start + charsMax
  const between = pieces.flatMap((piece, index) => {
    const before = pieces[index - 1]
    if (before === undefined || before.type === 'heading') return []
    const isInside = piece.isTight || (piece.type === 'table' && piece.resume !== FROM_START)
    return [{ offset: piece.start, resume: piece.resume, level: isInside ? 1 : 0 }]
  })
  const cuts = between.filter(fits)
  const crossing = pieces.findLast((piece) => piece.start < limit)
  const early = findBest(cuts, start + charsMax / 2)
  if (early !== undefined || crossing === undefined) return early ?? cutText(source, start, limit)
  cuts.push(...findNestedCuts(source, crossing, limit).filter(fits))
  return (
    findBest(cuts, start + charsMax / 2) ??
    findBest(cuts, start + charsMax / 4) ??
    cutText(source, start, limit)
  )

  function fits({ offset }: Cut): boolean {
    return offset > start && offset <= limit
  }
}

function findBest(cuts: readonly Cut[], from: number): Cut | undefined {
  const late = cuts.filter(({ offset }) => offset >= from)
  const level = Math.min(...late.map((cut) => cut.level))
  return late
    .filter((cut) => cut.level === level)
    .toSorted((a, b) => a.offset - b.offset)
    .at(-1)
}

function cutText(source: string, start: number, limit: number): Cut {
  const half = start + (limit - start) / 2
  const line = source.lastIndexOf('\n', limit - 1) + 1
  if (line > half) return { offset: line, resume: TEXT, level: 0 }
  const word = source.lastIndexOf(' ', limit - 1) + 1
  if (word > half) return { offset: word, resume: TEXT, level: 0 }
  return { offset: characterStart(source, limit, start), resume: TEXT, level: 0 }
}
