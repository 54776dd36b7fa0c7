import {
  clipLabel,
  findVideoProblems,
  PROMPT_CHARS_MAX,
  VIDEO_DEFAULTS,
  type VideoAspectRatio,
  type VideoDuration,
  type VideoQuality,
  type VideoRequest,
} from '../../../contract/video.ts'

export type VideoCommand =
  | { status: 'ok'; request: VideoRequest; label: string }
  /** There are options at most. */
  | { status: 'no_prompt' }
  /** In Unicode code points. */
  | { status: 'too_long'; length: number; limit: number }
  /** 1080p with 10 s. */
  | { status: 'not_offered' }

interface Options {
  duration?: VideoDuration
  quality?: VideoQuality
  shape?: VideoAspectRatio
}

type OptionName = keyof Options

const DEFAULT_SHAPE = '1280:720'

/** What an option looks like; Cyrillic letters as a Russian keyboard has them. */
const OPTIONS: { name: OptionName; pattern: string; read: (text: string) => Options }[] = [
  {
    name: 'duration',
    pattern: String.raw`(?:5|10)\s?(?:sec|s|сек|с)\.?`,
    read: (text) => ({ duration: text.startsWith('10') ? 10 : 5 }),
  },
  {
    name: 'quality',
    pattern: '(?:720|1080)[pр]',
    read: (text) => ({ quality: text.startsWith('1080') ? '1080p' : '720p' }),
  },
  {
    name: 'shape',
    pattern: '16:9|9:16|1280:720|720:1280|landscape|portrait',
    read: (text) => ({ shape: /^(?:9:|720:|portrait)/i.test(text) ? '720:1280' : '1280:720' }),
  },
]

const SEPARATOR = String.raw`[\s,;:]`

/** A word of the description at its start: "portrait of a fox". */
const WORD_AT_START = /^(?:landscape|portrait)\s+(?:of|in|with)\b/i
/** A word of the description at its end, not set apart by a comma or a new line: "a wide landscape". */
const WORD_AT_END = /[^\s,;][^\S\n]+(?:landscape|portrait)$/i

/**
 * Reads what comes after `/video`.
 *
 * Options are looked for at the very start and the very end only, each kind once; everything
 * between them is the prompt, even if it looks like an option.
 */
export function parseVideoCommand(text: string): VideoCommand {
  const { options, prompt } = takeOptions(text)
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = options
  const request = { prompt, duration, quality, aspect_ratio: options.shape ?? DEFAULT_SHAPE }
  if (findVideoProblems(request).length > 0) return { status: 'not_offered' }
  if (prompt === '') return { status: 'no_prompt' }
  const length = [...prompt].length
  if (length > PROMPT_CHARS_MAX) return { status: 'too_long', length, limit: PROMPT_CHARS_MAX }
  return { status: 'ok', request, label: clipLabel(request) }
}

/** A shape that is a word of the description as well counts, and stays in the prompt. */
function takeOptions(text: string): { options: Options; prompt: string } {
  let options: Options = {}
  let prompt = text.trim()
  for (let found = findAtStart(prompt, options); found; found = findAtStart(prompt, options)) {
    options = { ...options, ...found.options }
    if (!WORD_AT_START.test(prompt)) prompt = prompt.slice(found.length).replace(/^[\s,;:]+/, '')
  }
  let isSetApart = false
  for (let found = findAtEnd(prompt, options); found; found = findAtEnd(prompt, options)) {
    options = { ...options, ...found.options }
    const before = prompt.slice(0, -found.length).replace(/[\s,;:]+$/, '')
    isSetApart ||= !WORD_AT_END.test(prompt) || findAtEnd(before, options) !== undefined
    if (isSetApart) prompt = before
  }
  return { options, prompt }
}

function findAtStart(text: string, given: Options) {
  return findOption(text, given, (pattern) => `^(?:${pattern})(?=${SEPARATOR}|$)`)
}

function findAtEnd(text: string, given: Options) {
  return findOption(text, given, (pattern) => `(?<=${SEPARATOR}|^)(?:${pattern})$`)
}

/** Finds an option of a kind not yet given. */
function findOption(
  text: string,
  given: Options,
  place: (pattern: string) => string,
): { options: Options; length: number } | undefined {
  for (const { name, pattern, read } of OPTIONS) {
    if (given[name] !== undefined) continue
    const [match] = new RegExp(place(pattern), 'iu').exec(text) ?? []
    if (match !== undefined) return { options: read(match), length: match.length }
  }
  return undefined
}
