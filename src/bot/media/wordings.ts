import type { OptionName } from './catalog.ts'

/** The value of each option in a wording, also one that does not exist: 7 seconds, "4k", "4:3". */
export type WordingValues = { readonly [Name in OptionName]?: number | string }

/** How likely a wording is an option. */
export type WordingForm =
  /** "10s", "1080p", "16:9". */
  | 'exact'
  /** "1080": a quality, or so many elephants. "10-second": of a video, or of a countdown. */
  | 'bare'
  /** "4k", "hd": a quality, or the last word of a description. */
  | 'style'
  /** "9:16": a shape, or a time of day. */
  | 'clock'
  /** "vertical", "portrait": a shape and a word of the description. */
  | 'direction'
  /** "square": a shape, or a part of a town. */
  | 'square'

/** Words that look like an option. */
export interface Wording {
  /** Characters from the edge of the text. */
  length: number
  written: string
  says: WordingValues
  form: WordingForm
}

const WORDING_CHARS_MAX = 80

const LABEL = [
  '--ar|duration|length|quality|resolution|format|aspect(?: ratio)?|ratio',
  'длительностью?|длин(?:а|ой)|качеств[оа]|разрешени[ея]|формате?|ориентаци[яи]',
  'пропорци[яи]|соотношени[ея](?: сторон)?',
].join('|')
const LABELLED = String.raw`(?<label>(?:${LABEL})\s?[:=]?\s?)?`
const PREFIX = String.raw`(?<inside>(?:in|в)\s)?${LABELLED}`

/** The words for one to ten, in order. */
const NUMBERS = [
  ...['one|одн[ау]', 'two|две', 'three|три', 'four|четыре', 'five|пять', 'six|шесть'],
  ...['seven|семь', 'eight|восемь', 'nine|девять', 'ten|десять'],
].map((words) => new RegExp(`^(?:${words})$`, 'iu'))
const NUMBER = NUMBERS.map(({ source }) => source.slice(1, -1)).join('|')
const SECONDS = 's|secs?|seconds?|с|сек|секунд[аыу]?|секундн[а-яё]{2,3}'
const MINUTES = 'mins?|minutes?|мин|минут[аыу]?|минутн[а-яё]{2,3}'
/** A decade or a year ("1980s") has four digits. */
const AMOUNT = String.raw`[-−+]?(?!(?:1\d|20)\d\ds)\d{1,9}(?:[.,]\d{1,3})?(?<range>\s?[-–—]\s?\d{1,4})?`
const COUNT = String.raw`(?:[~≈]?(?<amount>${AMOUNT})(?:-?ти)?[\s-]?|(?<word>${NUMBER})[\s-])`
const ADJECTIVE = /^(?:second|minute|.*утн.{2,3}|.*ундн.{2,3})$/iu

const TIMES = String.raw`[:∶]|[x×х*]|\/|\sна\s|\sк\s|\sby\s`
/** Shapes of other services; read unless they may be a fraction or a score. */
const OTHER_SHAPES = new Set(['4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9', '9:21', '16:10'])

const FORMAT_NOUN = 'format|orientation|mode|формате?|ориентаци[яи]'
const NOUN = `video|clip|image|picture|photo|видео|ролик|клип|картинк[аи]|фото|${FORMAT_NOUN}`
const isFormatNoun = new RegExp(`^(?:${FORMAT_NOUN})$`, 'iu')

const DIRECTIONS = [
  ['9:16', 'vertical(?:ly)?|portrait|вертикал(?:ьн[а-яё]{1,3}|ь)|портретн[а-яё]{2,3}'],
  [
    '16:9',
    'horizontal(?:ly)?|landscape|widescreen|горизонтальн[а-яё]{1,3}|широкоформатн[а-яё]{2,3}',
  ],
  ['1:1', 'square|квадрат(?:н[а-яё]{2,3})?'],
] as const

type Groups = Readonly<Record<string, string | undefined>>

/** Every way to write an option; Cyrillic letters where a Russian keyboard has look-alikes. */
const WORDINGS: {
  pattern: string
  read: (groups: Groups) => Pick<Wording, 'says' | 'form'> | undefined
}[] = [
  {
    pattern: String.raw`${LABELLED}${COUNT}(?:(?<seconds>${SECONDS})|(?<minutes>${MINUTES}))\.?`,
    read: readDuration,
  },
  {
    pattern: String.raw`${PREFIX}(?<width>\d{3,4})\s?(?<times>${TIMES})\s?(?<height>\d{3,4})`,
    read: readPixels,
  },
  ...[PREFIX, LABELLED].map((prefix) => ({
    pattern: String.raw`${prefix}(?<width>\d{1,2})\s?(?<times>${TIMES})\s?(?<height>\d{1,2})`,
    read: readRatio,
  })),
  {
    pattern: String.raw`${PREFIX}(?<lines>\d{3,4})\s?[pр]`,
    read: ({ lines }) => ({ says: { quality: `${lines}p` }, form: 'exact' }),
  },
  {
    pattern: `${LABELLED}(?<lines>720|1080)`,
    read: ({ lines, label }) => ({
      says: { quality: `${lines}p` },
      form: label === undefined ? 'bare' : 'exact',
    }),
  },
  {
    pattern: String.raw`${PREFIX}(?:full[\s-]?hd|fhd|фул+\s?(?:hd|эйчди))`,
    read: () => ({ says: { quality: '1080p' }, form: 'exact' }),
  },
  {
    pattern: String.raw`${PREFIX}(?<style>hd|(?:ultra\s?hd|uhd)|(?<thousands>[2468])\s?[kк])`,
    read: ({ style = '', thousands, label }) => ({
      says: { quality: /^hd$/i.test(style) ? '720p' : `${thousands ?? 4}k` },
      form: label === undefined ? 'style' : 'exact',
    }),
  },
  ...DIRECTIONS.map(([shape, words]) => ({
    pattern: String.raw`${PREFIX}(?:${words})(?:\s(?<noun>${NOUN}))?`,
    read: (groups: Groups) => readDirection(shape, groups),
  })),
]

/** "видео на 10 секунд": the kind before its options. */
const LEAD = String.raw`(?<lead>(?:видео(?:ролик)?|ролик|клип|video|clip)\s(?:на\s)?|на\s)?`
const AFTER = String.raw`(?=[\s,;|)\]]|[:.!](?!\d)|$)`
const BEFORE = String.raw`(?<=^|[\s,;|(\[–—]|(?<!\d):)`
const AT_START = WORDINGS.map(({ pattern, read }) => ({
  regExp: new RegExp(`^${LEAD}(?:${pattern})${AFTER}`, 'iu'),
  read,
}))
const AT_END = WORDINGS.map(({ pattern, read }) => ({
  regExp: new RegExp(`${BEFORE}(?:${pattern})[.!]?$`, 'iu'),
  read,
}))

/** Finds the option at the start of a text. */
export function findAtStart(text: string): Wording | undefined {
  return find(text.slice(0, WORDING_CHARS_MAX), AT_START)
}

/** Finds the option at the end of a text. */
export function findAtEnd(text: string): Wording | undefined {
  return find(text.slice(-WORDING_CHARS_MAX), AT_END)
}

/** Finds the longest one: "1920x1080" ends in "1080". */
function find(text: string, wordings: typeof AT_START): Wording | undefined {
  let longest: Wording | undefined
  for (const { regExp, read } of wordings) {
    const match = regExp.exec(text)
    const found = match && read(match.groups ?? {})
    if (!match || !found || match[0].length <= (longest?.length ?? 0)) continue
    const { lead = '', inside = '' } = match.groups ?? {}
    const written = match[0].slice(lead.length + inside.length).replace(/[.!]$/, '')
    longest = { length: match[0].length, written, ...found }
  }
  return longest
}

function readDuration({ amount = '', word, range, seconds, minutes }: Groups) {
  const unit = seconds ?? minutes ?? ''
  const count = word ? NUMBERS.findIndex((one) => one.test(word)) + 1 : toNumber(amount)
  // A range is no length.
  const duration = range ? Number.NaN : count * (minutes ? 60 : 1)
  const form = ADJECTIVE.test(unit) && count !== 1 ? 'bare' : 'exact'
  return { says: { duration }, form } as const
}

function toNumber(amount: string): number {
  return Number(amount.replace('−', '-').replace(',', '.'))
}

function readPixels({ width, height, times = '' }: Groups) {
  const shape = toShape(Number(width), Number(height))
  // With a colon it is the ratio alone, as in the interface document.
  if (/[:∶]/.test(times)) return { says: { shape }, form: 'exact' } as const
  const quality = `${Math.min(Number(width), Number(height))}p`
  return { says: { shape, quality }, form: 'exact' } as const
}

function toShape(width: number, height: number): string {
  const shapes = { '16:9': 16 / 9, '9:16': 9 / 16, '1:1': 1 }
  const [shape] = Object.entries(shapes).find(([, ratio]) => ratio * height === width) ?? []
  return shape ?? `${width}:${height}`
}

function readRatio({ width, height, times = '', label, inside }: Groups) {
  const shape = `${Number(width)}:${Number(height)}`
  const isColon = /[:∶]/.test(times)
  const isSign = isColon || /[x×х*]/iu.test(times)
  const isOffered = shape === '16:9' || shape === '9:16' || (shape === '1:1' && isSign)
  const isOther = OTHER_SHAPES.has(shape) && isSign
  if (!isOffered && !isOther) return undefined
  const isTime = isColon && Number(height) > 9 && label === undefined
  // "in 9:16" is no time, "в 9:16" may be.
  if (isTime && inside?.startsWith('в')) return undefined
  return { says: { shape }, form: isTime ? 'clock' : 'exact' } as const
}

function readDirection(shape: string, { label, noun }: Groups) {
  const isFormat = label !== undefined || (noun !== undefined && isFormatNoun.test(noun))
  const isBareSquare = shape === '1:1' && noun === undefined
  const form = isBareSquare ? 'square' : 'direction'
  return { says: { shape }, form: isFormat ? 'exact' : form } as const
}
