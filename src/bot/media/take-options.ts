import type { MediaKind } from '../../contract/tasks.ts'
import { optionNames } from './catalog.ts'
import { findAtEnd, findAtStart, type Wording } from './wordings.ts'

/** Wordings read at each end. */
const WORDINGS_MAX = 12
/** Characters before a wording that may decide. */
const CONTEXT_CHARS_MAX = 200
/** In a list of so many parts "4k" and "hd" describe. */
const LIST_PARTS = 2
const LIST_PARTS_READ = 40

const BRACKETS_AT_START = /^[([]([^()[\]]{1,80})[)\]]/
const BRACKETS_AT_END = /[([]([^()[\]]{1,80})[)\]]\.?$/
const SEPARATORS_AT_START = /^(?:[\s,;:|)\]]|[-–—](?=\s)|[.!](?=\s|$))*/u
const SEPARATORS_AT_END = /(?:[\s,;:|([]|(?<=\s)[-–—])*$/u

/** A comma, an article, or the word for the kind: "10-second video of a fox". */
const SET_OFF_START = [
  /^\s*(?:[,;:|)\]]|[.!](?=\s)|[-–—]\s|\n|$)/u,
  /^\s+(?:an?|the|my|our|one|some)\s/i,
  /^\s+(?:long\s)?(?:video|clip|film|movie|shot|loop|animation|sound|track|audio)/i,
  /^\s+(?:видео|ролик|клип|фильм|звук|запись)/iu,
]
const SET_OFF_END = /(?:^|[,;:|([\n]|\s[-–—])\s*$/u
/** "10 seconds to midnight", "5 секунд спустя". */
const TIME_START = startsWith(
  'to|before|after|later|until|till|from|left|ago|past|earlier',
  'до|спустя|назад|после|позже',
)
const HALF_OF_DAY_START = /^\s*(?:[ap]\.?m\b|o'clock|утра|дня|вечера|ночи)/iu
const TIME_OF_DAY_END = endsWith('at|by|until|till|around|before|after|since', 'к|до|с|после|около')
/** "10 seconds of silence". */
const OF_START = startsWith('of|in|with')
const FOR_END = endsWith('for|lasting', 'на|длиной')
/** "runs 100 m in 10 seconds", "the last 10 seconds", "a castle in 1080". */
const IN_END = endsWith(
  'an?|the|in|over|within|under|of|by|about|from|to|at|since|with|during|per|and|or',
  'last|first|next|every|than|until|till|before|after',
  'за|в|через|около|с|от|из|по|и|или|последни[ех]|первы[ех]|кажды[ех]|до|после',
)

/** A wording that is or may be an option. */
export interface TakenWording extends Wording {
  /** True if it may be a word of the description instead: its user is asked. */
  isUnclear: boolean
  /** True if it remains in the description. */
  stays: boolean
  /** Its place in the text, with the separators on its inner side. */
  from: number
  to: number
}

/**
 * `take`: an option. `ask`: perhaps an option. `keep`, `ask_keep`: the same, and it remains in the description.
 * `pass`: a word of the description, options may follow. `stop`: the description begins here.
 */
type Verdict = 'take' | 'ask' | 'keep' | 'ask_keep' | 'pass' | 'stop'

/**
 * Takes the options from both ends of a text. The text between them is the description.
 *
 * Words for options that the kind does not have remain in the description.
 */
export function takeOptions(kind: MediaKind, given: string) {
  const text = openBrackets(kind, given.trim())
  const taken: TakenWording[] = []
  const left = takeAt('start', { from: 0, to: text.length })
  takeAt('end', left)
  taken.sort((one, other) => one.from - other.from)
  return { taken, describe }

  function describe(isLeftIn: (wording: TakenWording) => boolean = () => false): string {
    const cut = taken.filter((one) => !one.stays && !isLeftIn(one))
    return cut
      .reduceRight((words, { from, to }) => words.slice(0, from) + words.slice(to), text)
      .trim()
  }

  /** @returns The part of the text that is left. */
  function takeAt(side: 'start' | 'end', { from, to }: { from: number; to: number }) {
    const isStart = side === 'start'
    let isBesideOption = false
    for (let read = 0; read < WORDINGS_MAX; read += 1) {
      const core = text.slice(from, to)
      const wording = isStart ? findAtStart(core) : findAtEnd(core)
      if (wording === undefined) break
      const { length } = wording
      const beyond = isStart ? core.slice(length) : core.slice(0, -length).slice(-CONTEXT_CHARS_MAX)
      const verdict = judge(wording, () =>
        isStart ? judgeAtStart(wording, beyond) : judgeAtEnd(wording, beyond, isBesideOption),
      )
      if (verdict === 'stop') break
      const stays = verdict === 'keep' || verdict === 'ask_keep'
      const [separators = ''] =
        (isStart ? SEPARATORS_AT_START : SEPARATORS_AT_END).exec(beyond) ?? []
      const end = length + separators.length
      const place = isStart ? { from, to: from + end } : { from: to - end, to }
      const isUnclear = verdict === 'ask' || verdict === 'ask_keep'
      isBesideOption = verdict !== 'pass'
      if (isBesideOption) taken.push({ ...wording, ...place, isUnclear, stays })
      if (stays) break
      if (isStart) from = place.to
      else to = place.from
    }
    return { from, to }
  }

  /** A wording that may be a word of the description is one if another wording has the option. */
  function judge({ says }: Wording, look: () => Verdict): Verdict {
    const names = optionNames(kind).filter((name) => name in says)
    if (names.length === 0) return 'pass'
    const verdict = look()
    const isGiven = taken.some((one) => names.some((name) => name in one.says))
    return isGiven && verdict !== 'take' && verdict !== 'pass' ? 'stop' : verdict
  }
}

function judgeAtStart({ says, form }: Wording, after: string): Verdict {
  if ('duration' in says && TIME_START.test(after)) return 'stop'
  if (form === 'clock' && HALF_OF_DAY_START.test(after)) return 'stop'
  if ('duration' in says && OF_START.test(after)) return 'keep'
  const isSetOff =
    SET_OFF_START.some((one) => one.test(after)) || findAtStart(after.trimStart()) !== undefined
  return isSetOff ? 'take' : judgeInside(form)
}

function judgeAtEnd({ says, form }: Wording, before: string, isFollowed: boolean): Verdict {
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

function startsWith(...words: string[]): RegExp {
  return new RegExp(`^\\s+(?:${words.join('|')})(?=\\s|$)`, 'iu')
}

function endsWith(...words: string[]): RegExp {
  return new RegExp(`(?:^|\\s)(?:${words.join('|')})\\s*$`, 'iu')
}

/** "a fox in the snow, cinematic, …": a list of descriptions. */
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
