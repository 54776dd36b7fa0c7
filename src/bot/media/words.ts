/**
 * Reads the words after a command: options at the start and the end, in English or Russian, and the description between
 * them (docs/bot.md#options-in-words). Everything unclear remains in the description, and its user is asked.
 */
import type { MediaKind } from '../../contract/tasks.ts'
import { CATALOG, type MediaOptions, type OptionName, optionNames } from './catalog.ts'

export interface WordsRead {
  prompt: string
  /** The options that exist. Two of them may exclude each other. */
  options: MediaOptions
  /** Words that may be an option, or that name an option which does not exist. */
  unclear: string[]
}

/** The values of a wording, including values that do not exist: 7 seconds, "4k", "4:3". */
type Values = { readonly [Name in OptionName]?: number | string }

/**
 * `exact`: an option. `weak`: an option only if it stands apart. `direction`: an option that remains in the description
 * unless it stands apart ("portrait of a fox"). `style`: at the end of a text it describes ("a fox, cinematic, 4k").
 */
type Form = 'exact' | 'weak' | 'direction' | 'style'

/** Words that look like an option. */
interface Wording {
  /** Characters from the edge of the text. */
  length: number
  written: string
  values: Values
  form: Form
}

/** `keep`: an option that remains in the description. `pass`: no option, but options may follow. */
type Verdict = 'take' | 'keep' | 'ask' | 'pass' | 'stop'
type Side = 'start' | 'end'
type Groups = Readonly<Record<string, string | undefined>>

/** Wordings read at each end. */
const WORDINGS_MAX = 12
const WORDING_CHARS_MAX = 80
/** Characters beside a wording that may decide. */
const CONTEXT_CHARS_MAX = 100

const LABEL = [
  '--ar|duration|length|quality|resolution|format|aspect(?: ratio)?|ratio',
  'длительностью?|длин(?:а|ой)|качеств[оа]|разрешени[ея]|формате?|ориентаци[яи]',
  'пропорци[яи]|соотношени[ея](?: сторон)?',
].join('|')
const LABELLED = String.raw`(?<label>(?:${LABEL})\s?[:=]?\s?)?`
const INSIDE = String.raw`(?<inside>(?:in|в)\s)?${LABELLED}`
/** "в 9:16" may be a time. */
const INSIDE_SHAPE = String.raw`(?<inside>in\s)?${LABELLED}`

/** A decade or a year ("1980s") has four digits. A range ("5-10") is no length. */
const AMOUNT = String.raw`[-−+~≈]?(?!(?:1\d|20)\d\ds)\d{1,9}(?:\s?[.,–—-]\s?\d{1,4})?`
const COUNT = String.raw`(?<amount>${AMOUNT})(?:-?ти)?[\s-]?`
const SECONDS = 's|secs?|seconds?|с|сек|секунд[аыу]?|секундн[а-яё]{2,3}'
const MINUTES = 'mins?|minutes?|мин|минут[аыу]?|минутн[а-яё]{2,3}'
const ADJECTIVE = /^(?:second|minute|.*утн.{2,3}|.*ундн.{2,3})$/iu

/** Shapes of any service. Other pairs of numbers may be a fraction or a score. */
const SHAPES = new Set([
  ...['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'],
  ...['4:5', '5:4', '21:9', '9:21', '16:10'],
])
const NOUN = 'video|clip|image|picture|photo|format|видео|ролик|клип|картинк[аи]|фото|формате?'
const DIRECTIONS = [
  ['9:16', 'vertical(?:ly)?|portrait|вертикал(?:ьн[а-яё]{1,3}|ь)|портретн[а-яё]{2,3}'],
  ['16:9', 'horizontal(?:ly)?|landscape|widescreen|горизонтальн[а-яё]{1,3}'],
  ['1:1', 'square|квадрат(?:н[а-яё]{2,3})?'],
] as const

/** Every way to write an option, with Cyrillic letters that look like Latin letters. */
const WORDINGS: {
  pattern: string
  read: (groups: Groups) => Pick<Wording, 'values' | 'form'> | undefined
}[] = [
  { pattern: String.raw`${LABELLED}${COUNT}(?<unit>${SECONDS}|${MINUTES})\.?`, read: readDuration },
  {
    pattern: String.raw`${INSIDE_SHAPE}(?<width>\d{1,2})\s?[:∶x×х*]\s?(?<height>\d{1,2})`,
    read: readRatio,
  },
  {
    pattern: String.raw`${INSIDE}(?<lines>\d{3,4})\s?[pр]`,
    read: ({ lines }) => ({ values: { quality: `${lines}p` }, form: 'exact' }),
  },
  {
    pattern: `${LABELLED}(?<lines>720|1080)`,
    read: ({ lines, label }) => ({
      values: { quality: `${lines}p` },
      form: label ? 'exact' : 'weak',
    }),
  },
  {
    pattern: String.raw`${INSIDE}(?:full[\s-]?hd|fhd)`,
    read: () => ({ values: { quality: '1080p' }, form: 'exact' }),
  },
  {
    pattern: String.raw`${INSIDE}(?<style>hd|uhd|ultra\s?hd|[2468]\s?[kк])`,
    read: ({ style = '', label, inside }) => ({
      values: { quality: /^hd$/i.test(style) ? '720p' : style },
      form: label || inside ? 'exact' : 'style',
    }),
  },
  ...DIRECTIONS.map(([shape, words]) => ({
    pattern: String.raw`${INSIDE}(?:${words})(?:\s(?<noun>${NOUN}))?`,
    read: (groups: Groups) => readDirection(shape, groups),
  })),
]

/** "видео на 10 секунд: лиса": the kind before its options. */
const LEAD = String.raw`(?<lead>[([]?(?:(?:видео(?:ролик)?|ролик|клип|video|clip)\s(?:на\s)?|на\s)?)`
const AFTER = String.raw`(?=[\s,;|)\]]|[:.!](?!\d)|$)`
const BEFORE = String.raw`(?<=^|[\s,;|([–—]|(?<!\d):)`
const REG_EXPS = {
  start: WORDINGS.map(({ pattern }) => new RegExp(`^${LEAD}(?:${pattern})${AFTER}`, 'iu')),
  end: WORDINGS.map(({ pattern }) => new RegExp(`${BEFORE}(?:${pattern})[.!)\\]]*$`, 'iu')),
}

const SEPARATORS = {
  start: /^(?:[\s,;:|)\]]|[-–—](?=\s)|[.!](?=\s|$))*/u,
  end: /(?:[\s,;:|([]|(?<=\s)[-–—])*$/u,
}
/** A wording stands apart beside a comma, an article, or the word for the kind: "10-second video of a fox". */
const APART = {
  start: [
    /^\s*(?:[,;:|)\]]|[.!](?=\s)|[-–—]\s|\n|$)/u,
    /^\s+(?:an?|the|my|our|one|some)\s/i,
    /^\s+(?:long\s)?(?:video|clip|film|movie|shot|loop|animation|sound|track|audio)/i,
    /^\s+(?:видео|ролик|клип|фильм|звук|запись)/iu,
  ],
  end: [/(?:^|[,;:|([\n]|\s[-–—])\s*$/u],
}
/** "10 seconds to midnight", "5 секунд спустя", "9:16 pm". */
const TIME_AFTER = startsWith(
  "to|before|after|later|until|till|from|left|ago|past|earlier|[ap]\\.?m|o'clock",
  'до|спустя|назад|после|позже|утра|дня|вечера|ночи',
)
/** "runs 100 m in 10 seconds", "the last 10 seconds", "leaves at 9:16". */
const RELATION_BEFORE = endsWith(
  'an?|the|in|over|within|under|of|by|about|from|to|at|since|with|during|per|and|or|around',
  'last|first|next|every|than|until|till|before|after',
  'за|в|через|около|с|от|из|по|и|или|к|последни[ех]|первы[ех]|кажды[ех]|до|после',
)
/** "10 seconds of silence", "a fox for 10 seconds". */
const OF_AFTER = startsWith('of|in|with')
const FOR_BEFORE = endsWith('for|lasting', 'на|длиной')

export function readWords(kind: MediaKind, given: string): WordsRead {
  const text = given.trim()
  const reading = new Reading(kind, text)
  reading.readAt('start')
  reading.readAt('end')
  const read = reading.result()
  // "a fox (running, 10s)": the bracket belongs to the description.
  const isBroken = countOpen(read.prompt) !== countOpen(text)
  return isBroken ? { prompt: text, options: {}, unclear: [] } : read
}

class Reading {
  readonly #kind: MediaKind
  readonly #text: string
  /** The part of the text that is left. */
  #from = 0
  #to: number
  readonly #cuts: { from: number; to: number }[] = []
  #options: Values = {}
  readonly #unclear: string[] = []

  constructor(kind: MediaKind, text: string) {
    this.#kind = kind
    this.#text = text
    this.#to = text.length
  }

  readAt(side: Side): void {
    let isBesideOption = false
    for (let read = 0; read < WORDINGS_MAX; read += 1) {
      const left = this.#text.slice(this.#from, this.#to)
      const wording = find(side, left)
      if (wording === undefined) return
      const { length } = wording
      const beside =
        side === 'start'
          ? left.slice(length, length + CONTEXT_CHARS_MAX)
          : left.slice(0, -length).slice(-CONTEXT_CHARS_MAX)
      const verdict = this.#judge(wording, side, { beside, isBesideOption })
      if (verdict === 'stop') return
      const [separators = ''] = SEPARATORS[side].exec(beside) ?? []
      const end = length + separators.length
      const place =
        side === 'start'
          ? { from: this.#from, to: this.#from + end }
          : { from: this.#to - end, to: this.#to }
      if (this.#note(wording, verdict) && verdict === 'take') this.#cuts.push(place)
      if (verdict === 'keep' || verdict === 'ask') return
      isBesideOption = verdict === 'take'
      if (side === 'start') this.#from = place.to
      else this.#to = place.from
    }
  }

  result(): WordsRead {
    const options = this.#options as MediaOptions
    // Nothing but options was written.
    if (this.#from >= this.#to) return { prompt: '', options, unclear: this.#unclear }
    let prompt = this.#text
    for (const { from, to } of this.#cuts.toSorted((one, other) => other.from - one.from)) {
      prompt = prompt.slice(0, from) + prompt.slice(to)
    }
    return { prompt: prompt.trim(), options, unclear: this.#unclear }
  }

  /** A wording that may describe does so if another wording has the option. */
  #judge(
    wording: Wording,
    side: Side,
    { beside, isBesideOption }: { beside: string; isBesideOption: boolean },
  ): Verdict {
    const names = this.#namesOf(wording)
    if (names.length === 0) return 'pass'
    const isApart =
      APART[side].some((one) => one.test(beside)) || find(side, beside.trim()) !== undefined
    const verdict = judge(wording, side, { beside, isApart: isApart || isBesideOption })
    const isGiven = names.some((name) => name in this.#options)
    return isGiven && (verdict === 'keep' || verdict === 'ask') ? 'stop' : verdict
  }

  /** Takes over the values of a wording. @returns False if one does not exist, or contradicts another. */
  #note(wording: Wording, verdict: Verdict): boolean {
    if (verdict === 'pass') return false
    const { values, written } = wording
    const isClear = this.#namesOf(wording).every((name) => {
      const known: readonly unknown[] = CATALOG[this.#kind].values[name] ?? []
      return known.includes(values[name]) && (this.#options[name] ?? values[name]) === values[name]
    })
    if (verdict === 'ask' || !isClear) {
      this.#unclear.push(written)
      return false
    }
    for (const name of this.#namesOf(wording)) {
      this.#options = { ...this.#options, [name]: values[name] }
    }
    return true
  }

  #namesOf({ values }: Wording): OptionName[] {
    return optionNames(this.#kind).filter((name) => name in values)
  }
}

function judge(
  { values, form }: Wording,
  side: Side,
  { beside, isApart }: { beside: string; isApart: boolean },
): Verdict {
  if (side === 'end' && form === 'style') return 'pass'
  const isDuration = 'duration' in values
  if (isDuration && (side === 'start' ? OF_AFTER : FOR_BEFORE).test(beside)) return 'keep'
  const isExact = form === 'exact' && (side === 'end' || !('quality' in values))
  if (isExact && (side === 'start' ? TIME_AFTER : RELATION_BEFORE).test(beside)) return 'ask'
  if (isApart || form === 'exact') return 'take'
  return form === 'direction' ? 'keep' : 'stop'
}

/** Finds the longest wording at an edge of a text: "16:9 format" ends in a shorter one. */
function find(side: Side, text: string): Wording | undefined {
  const edge = side === 'start' ? text.slice(0, WORDING_CHARS_MAX) : text.slice(-WORDING_CHARS_MAX)
  let longest: Wording | undefined
  for (const [index, { read }] of WORDINGS.entries()) {
    const match = REG_EXPS[side][index]?.exec(edge)
    const found = match && read(match.groups ?? {})
    if (!match || !found || match[0].length <= (longest?.length ?? 0)) continue
    const { lead = '', inside = '' } = match.groups ?? {}
    const written = match[0].slice(lead.length + inside.length).replace(/[.!)\]]+$/, '')
    longest = { length: match[0].length, written, ...found }
  }
  return longest
}

function readDuration({ amount = '', unit = '' }: Groups) {
  const count = Number(amount.replace('−', '-').replace(',', '.'))
  const duration = /^[mм]/iu.test(unit) ? count * 60 : count
  const form: Form = ADJECTIVE.test(unit) && count !== 1 ? 'weak' : 'exact'
  return { values: { duration }, form }
}

function readRatio({ width, height }: Groups) {
  const shape = `${Number(width)}:${Number(height)}`
  const form: Form = 'exact'
  return SHAPES.has(shape) ? { values: { shape }, form } : undefined
}

function readDirection(shape: string, { label, noun }: Groups) {
  const form: Form = shape === '1:1' && noun === undefined ? 'weak' : 'direction'
  return { values: { shape }, form: label === undefined ? form : 'exact' } as const
}

function startsWith(...words: string[]): RegExp {
  return new RegExp(`^\\s+(?:${words.join('|')})(?=[\\s.]|$)`, 'iu')
}

function endsWith(...words: string[]): RegExp {
  return new RegExp(`(?:^|\\s)(?:${words.join('|')})\\s*$`, 'iu')
}

function countOpen(text: string): number {
  return text.replace(/[^([]+/g, '').length - text.replace(/[^)\]]+/g, '').length
}
