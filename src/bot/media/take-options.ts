import type { MediaKind } from '../../contract/tasks.ts'
import { optionNames } from './catalog.ts'
import { findAtEnd, findAtStart, type Wording } from './wordings.ts'

/** Read on each side; the rest belongs to the description. */
const WORDINGS_MAX = 12
/** No more of a text before a wording is looked at. */
const CONTEXT_CHARS_MAX = 200
/** "4k" and "hd" describe in a list of so many parts. */
const LIST_PARTS = 2
const LIST_PARTS_READ = 40

const BRACKETS_AT_START = /^[([]([^()[\]]{1,80})[)\]]/
const BRACKETS_AT_END = /[([]([^()[\]]{1,80})[)\]]\.?$/
const SEPARATORS_AT_START = /^(?:[\s,;:|)\]]|[-–—](?=\s)|[.!](?=\s|$))*/u
const SEPARATORS_AT_END = /(?:[\s,;:|([]|(?<=\s)[-–—])*$/u

/** A comma, an article, or the word for what is made: "10-second video of a fox". */
const SET_OFF_START =
  /^\s*(?:[,;:|)\]]|[.!](?=\s)|[-–—]\s|\n|$)|^\s+(?:an?|the|my|our|one|some)\s|^\s+(?:long\s)?(?:video|clip|film|movie|shot|loop|animation|sound|track|audio|видео|ролик|клип|фильм|звук|запись)/iu
const SET_OFF_END = /(?:^|[,;:|([\n]|\s[-–—])\s*$/u
/** "10 seconds to midnight", "5 секунд спустя". */
const TIME_START =
  /^\s+(?:to|before|after|later|until|till|from|left|ago|past|earlier|до|спустя|назад|после|позже)(?=\s|$)/iu
const HALF_OF_DAY_START = /^\s*(?:[ap]\.?m\b|o'clock|утра|дня|вечера|ночи)/iu
const TIME_OF_DAY_END =
  /(?:^|\s)(?:at|by|until|till|around|before|after|since|к|до|с|после|около)\s*$/iu
/** "10 seconds of silence". */
const OF_START = /^\s+(?:of|in|with)\b/i
const FOR_END = /(?:^|\s)(?:for|lasting|на|длиной)\s*$/iu
/** "runs 100 m in 10 seconds", "the last 10 seconds", "a castle in 1080". */
const IN_END =
  /(?:^|\s)(?:an?|the|in|over|within|under|of|by|about|from|to|at|since|with|during|per|and|or|last|first|next|every|than|until|till|before|after|за|в|через|около|с|от|из|по|и|или|последни[ех]|первы[ех]|кажды[ех]|до|после)\s*$/iu

/** A wording that is or may be an option. */
export interface TakenWording extends Wording {
  /** True if it may as well be a word of the description: its user is asked, unless something else says the option. */
  isUnclear: boolean
  /** True if it is a word of the description as well. */
  stays: boolean
}

/** An option; one that may be none; a word of the description as well; both; none, options may stand beyond; none. */
type Verdict = 'take' | 'ask' | 'keep' | 'ask_keep' | 'pass' | 'stop'

/** A wording that does not belong to the core of the description, with the separators on its inner side. */
interface Piece {
  text: string
  taken: TakenWording | undefined
}

interface Edge {
  /** From the edge inwards. */
  pieces: Piece[]
  /** The wording with which the core begins or ends, if that counts as well. */
  kept: TakenWording | undefined
  core: string
}

/** One end of a text. */
interface Side {
  find(text: string): Wording | undefined
  judge(wording: Wording, beyond: string, isBesideOption: boolean): Verdict
  /** The text without so many characters at this end. */
  cut(text: string, length: number): string
  separators: RegExp
}

const START: Side = {
  find: findAtStart,
  judge: judgeAtStart,
  cut: (text, length) => text.slice(length),
  separators: SEPARATORS_AT_START,
}

const END: Side = {
  find: findAtEnd,
  judge: judgeAtEnd,
  cut: (text, length) => text.slice(0, text.length - length),
  separators: SEPARATORS_AT_END,
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
  const start = takeAt(START, kind, openBrackets(kind, text.trim()), [])
  const first = takenOf(start)
  const end = takeAt(END, kind, start.core, first)
  return { taken: [...first, ...takenOf(end).reverse()], describe }

  function describe(isLeftIn: (wording: TakenWording) => boolean = () => false): string {
    const write = (pieces: Piece[]) =>
      pieces.map((piece) => (!piece.taken || isLeftIn(piece.taken) ? piece.text : '')).join('')
    return (write(start.pieces) + end.core + write(end.pieces.toReversed())).trim()
  }
}

function takenOf({ pieces, kept }: Edge): TakenWording[] {
  return [...pieces.map(({ taken }) => taken), kept].filter((one) => one !== undefined)
}

function takeAt(side: Side, kind: MediaKind, text: string, before: readonly TakenWording[]): Edge {
  const pieces: Piece[] = []
  let core = text
  while (pieces.length < WORDINGS_MAX) {
    const wording = side.find(core)
    if (wording === undefined) break
    const beyond = side.cut(core, wording.length)
    const known = [...before, ...pieces.flatMap(({ taken }) => taken ?? [])]
    const verdict = judge(side, kind, wording, { beyond, known, last: pieces.at(-1) })
    if (verdict === 'stop') break
    const isUnclear = verdict === 'ask' || verdict === 'ask_keep'
    const stays = verdict === 'keep' || verdict === 'ask_keep'
    const taken = { ...wording, isUnclear, stays }
    if (stays) return { pieces, kept: taken, core }
    const context = side === END ? beyond.slice(-CONTEXT_CHARS_MAX) : beyond
    const rest = side.cut(beyond, side.separators.exec(context)?.[0].length ?? 0)
    const piece = side === END ? core.slice(rest.length) : core.slice(0, core.length - rest.length)
    pieces.push({ text: piece, taken: verdict === 'pass' ? undefined : taken })
    core = rest
  }
  return { pieces, kept: undefined, core }
}

/** Judges a wording. If it may be a word of the description, it is one if another wording has the option already. */
function judge(
  side: Side,
  kind: MediaKind,
  wording: Wording,
  {
    beyond,
    known,
    last,
  }: { beyond: string; known: readonly TakenWording[]; last?: Piece | undefined },
): Verdict {
  const names = optionNames(kind).filter((name) => name in wording.says)
  if (names.length === 0) return 'pass'
  const verdict = side.judge(wording, beyond, last?.taken !== undefined)
  const isGiven = known.some(({ says }) => names.some((name) => name in says))
  return isGiven && verdict !== 'take' && verdict !== 'pass' ? 'stop' : verdict
}

function judgeAtStart({ says, form }: Wording, after: string): Verdict {
  if ('duration' in says && TIME_START.test(after)) return 'stop'
  if (form === 'clock' && HALF_OF_DAY_START.test(after)) return 'stop'
  if ('duration' in says && OF_START.test(after)) return 'keep'
  const isSetOff = SET_OFF_START.test(after) || findAtStart(after.trimStart()) !== undefined
  return isSetOff ? 'take' : judgeInside(form)
}

function judgeAtEnd({ says, form }: Wording, beyond: string, isFollowed: boolean): Verdict {
  const before = beyond.slice(-CONTEXT_CHARS_MAX)
  if (form === 'style' && isList(before)) return 'pass'
  if (form === 'clock' && TIME_OF_DAY_END.test(before)) return 'stop'
  if ('duration' in says && FOR_END.test(before)) return 'keep'
  const isMaybeWord = form === 'exact' || form === 'bare' || form === 'clock'
  if (isMaybeWord && IN_END.test(before)) return 'ask_keep'
  const isSetOff = SET_OFF_END.test(before) || findAtEnd(before.trimEnd()) !== undefined
  return isSetOff || isFollowed ? 'take' : judgeInside(form)
}

/** Judges a wording that stands beside a word of the description. */
function judgeInside(form: Wording['form']): Verdict {
  switch (form) {
    case 'exact':
    case 'clock':
    case 'style':
      return 'take'
    case 'bare':
      return 'ask'
    case 'direction':
      return 'keep'
    case 'square':
      return 'stop'
  }
}

/** "a fox in the snow, cinematic, …": a list of what is to be seen, without options. */
function isList(text: string): boolean {
  const parts = text.split(/[,;\n]/, LIST_PARTS_READ).map((part) => part.trim())
  const described = parts.filter((part) => part !== '' && findAtStart(part)?.length !== part.length)
  return described.length >= LIST_PARTS
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
