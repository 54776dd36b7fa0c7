import type { MediaKind } from '../../../contract/tasks.ts'
import { optionNames } from '../catalog.ts'
import { judgeAtEnd, judgeAtStart, type WordingVerdict } from './judge-wording.ts'
import { findAtEnd, findAtStart, type Wording } from './wordings.ts'

/** Read on each side; the rest belongs to the description. */
const WORDINGS_MAX = 12
/** No more of a text before a wording is looked at. */
const CONTEXT_CHARS_MAX = 200
const BRACKETS_AT_START = /^[([]([^()[\]]{1,80})[)\]]/
const BRACKETS_AT_END = /[([]([^()[\]]{1,80})[)\]]\.?$/
const SEPARATORS_AT_START = /^(?:[\s,;:|)\]]|[-–—](?=\s)|[.!](?=\s|$))*/u
const SEPARATORS_AT_END = /(?:[\s,;:|([]|(?<=\s)[-–—])*$/u

/** A wording that is or may be an option. */
export interface TakenWording extends Wording {
  verdict: Exclude<WordingVerdict, 'pass' | 'stop'>
}

/** A wording that does not belong to the core of the description, with the separators on its inner side. */
interface Piece {
  text: string
  taken: TakenWording | undefined
}

interface Edge {
  pieces: Piece[]
  /** The wording with which the core begins or ends, where that counts as well. */
  kept: TakenWording | undefined
  core: string
}

/**
 * Takes the options from both ends of a text.
 *
 * The text between them is the description, whatever it looks like. Words for options that the kind does not have stay
 * where they are.
 *
 * @returns What was written, and how the description reads: without those words but the ones to be left in.
 */
export function takeOptions(kind: MediaKind, text: string) {
  const start = takeAtStart(kind, openBrackets(kind, text.trim()))
  const first = [...start.pieces.map(({ taken }) => taken), start.kept].filter((one) => !!one)
  const end = takeAtEnd(kind, start.core, first)
  const last = [end.kept, ...end.pieces.map(({ taken }) => taken)].filter((one) => !!one)
  return { taken: [...first, ...last], describe }

  function describe(isLeftIn: (wording: TakenWording) => boolean = () => false): string {
    const write = ({ pieces }: Edge) =>
      pieces.map((piece) => (!piece.taken || isLeftIn(piece.taken) ? piece.text : '')).join('')
    return (write(start) + end.core + write(end)).trim()
  }
}

function takeAtStart(kind: MediaKind, text: string): Edge {
  const pieces: Piece[] = []
  let core = text
  while (pieces.length < WORDINGS_MAX) {
    const wording = findAtStart(core)
    if (wording === undefined) break
    const after = core.slice(wording.length)
    const verdict = judge(kind, wording, pieces, () => judgeAtStart(wording, after))
    if (verdict === 'stop') break
    if (verdict === 'keep' || verdict === 'ask_keep') {
      return { pieces, kept: { ...wording, verdict }, core }
    }
    const [separators = ''] = SEPARATORS_AT_START.exec(after) ?? []
    const taken = verdict === 'pass' ? undefined : { ...wording, verdict }
    const length = wording.length + separators.length
    pieces.push({ text: core.slice(0, length), taken })
    core = core.slice(length)
  }
  return { pieces, kept: undefined, core }
}

function takeAtEnd(kind: MediaKind, text: string, atStart: readonly TakenWording[]): Edge {
  const pieces: Piece[] = []
  const known = atStart.map((taken) => ({ taken }))
  let core = text
  while (pieces.length < WORDINGS_MAX) {
    const wording = findAtEnd(core)
    if (wording === undefined) break
    const before = core.slice(0, -wording.length)
    const context = before.slice(-CONTEXT_CHARS_MAX)
    const isFollowed = pieces[0]?.taken !== undefined
    const verdict = judge(kind, wording, [...known, ...pieces], () =>
      judgeAtEnd(wording, context, isFollowed),
    )
    if (verdict === 'stop') break
    if (verdict === 'keep' || verdict === 'ask_keep') {
      return { pieces, kept: { ...wording, verdict }, core }
    }
    const [separators = ''] = SEPARATORS_AT_END.exec(context) ?? []
    const taken = verdict === 'pass' ? undefined : { ...wording, verdict }
    const length = separators.length + wording.length
    pieces.unshift({ text: core.slice(-length), taken })
    core = core.slice(0, -length)
  }
  return { pieces, kept: undefined, core }
}

/** Judges a wording. If it may be a word of the description, it is one where another wording has the option already. */
function judge(
  kind: MediaKind,
  { says }: Wording,
  known: readonly Pick<Piece, 'taken'>[],
  look: () => WordingVerdict,
): WordingVerdict {
  const names = optionNames(kind).filter((name) => name in says)
  if (names.length === 0) return 'pass'
  const isGiven = known.some(({ taken }) => names.some((name) => taken && name in taken.says))
  const verdict = look()
  return isGiven && verdict !== 'take' && verdict !== 'pass' ? 'stop' : verdict
}

/** Options may stand in brackets; any other brackets belong to the description. */
function openBrackets(kind: MediaKind, text: string): string {
  const [first, atStart = ''] = BRACKETS_AT_START.exec(text) ?? []
  if (first !== undefined && hasOptionsOnly(kind, atStart)) {
    return `${atStart}, ${text.slice(first.length)}`
  }
  const [last, atEnd = ''] = BRACKETS_AT_END.exec(text) ?? []
  if (last === undefined || !hasOptionsOnly(kind, atEnd)) return text
  return `${text.slice(0, -last.length)}, ${atEnd}`
}

function hasOptionsOnly(kind: MediaKind, text: string): boolean {
  const { taken, describe } = takeOptions(kind, text)
  return taken.length > 0 && describe() === ''
}
