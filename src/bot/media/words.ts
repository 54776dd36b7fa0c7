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

type Side = 'start' | 'end'

interface Wording {
  name: OptionName
  pattern: string
  read: (text: string) => string | number
  /** A word that also describes: an option only beside a comma or at both ends. */
  isWord?: true
}

/** Options read at each end, and their characters. */
const OPTIONS_MAX = 6
const OPTION_CHARS_MAX = 40
/** Characters beside an option that decide. */
const CONTEXT_CHARS_MAX = 40

/** Includes Cyrillic letters that resemble Latin letters. */
const WORDINGS: readonly Wording[] = [
  {
    name: 'duration',
    pattern: String.raw`\d{1,3}\s?(?:s|secs?|seconds?|с|сек|секунд[аыу]?)`,
    read: Number.parseInt,
  },
  {
    name: 'duration',
    pattern: String.raw`\d{1,2}\s?(?:mins?|minutes?|мин|минут[аыу]?)`,
    read: (text) => Number.parseInt(text, 10) * 60,
  },
  {
    name: 'quality',
    pattern: String.raw`\d{3,4}[pр]`,
    read: (text) => `${Number.parseInt(text, 10)}p`,
  },
  // Other pairs of numbers may be a fraction or a score.
  { name: 'shape', pattern: '16:9|9:16|1:1|4:3|3:4|3:2|2:3|4:5|5:4|21:9', read: String },
  word('9:16', 'vertical|portrait|вертикальн[а-яё]{1,3}'),
  word('16:9', 'horizontal|landscape|горизонтальн[а-яё]{1,3}'),
  word('1:1', 'square|квадрат(?:н[а-яё]{2,3})?'),
]

const SEPARATOR = /[\s,;:.!–—-]/u
const APART = { start: /^\s*(?:[,;:.\n–—]|$)/u, end: /(?:[,;:.\n–—]|^)\s*$/u }
/** "10 seconds to midnight", "10 seconds of silence"; "leaves at 9:16", "the last 10 seconds", "за 10 секунд". */
const RELATION = {
  start: new RegExp(
    `^\\s+(?:${[
      'of|in|with|to|before|after|later|until|till|from|left|ago|past|am|pm',
      'до|спустя|назад|после|позже|утра|дня|вечера|ночи',
    ].join('|')})(?:\\s|$)`,
    'iu',
  ),
  end: new RegExp(
    `(?:^|\\s)(?:${[
      'an?|the|in|over|within|under|of|by|about|from|to|at|since|with|during|per|and|or|around',
      'for|last|first|next|every|than|until|till|before|after',
      'за|в|через|около|с|от|из|по|и|или|к|на|до|после|последни[ех]|первы[ех]|кажды[ех]',
    ].join('|')})\\s+$`,
    'iu',
  ),
}

export function readWords(kind: MediaKind, given: string): WordsRead {
  const read: WordsRead = { prompt: given.trim(), options: {}, unclear: [] }
  for (const side of ['start', 'end'] as const) {
    for (let found = 0; found < OPTIONS_MAX && readOption(kind, side, read); found += 1);
  }
  return read
}

/** @returns Whether another option may follow. */
function readOption(kind: MediaKind, side: Side, read: WordsRead): boolean {
  const { prompt, options } = read
  const found = findAt(kind, side, prompt)
  if (found === undefined) return false
  const { name, value, isWord, written } = found
  const rest = side === 'start' ? prompt.slice(written.length) : prompt.slice(0, -written.length)
  const beside =
    side === 'start' ? rest.slice(0, CONTEXT_CHARS_MAX) : rest.slice(-CONTEXT_CHARS_MAX)
  if (isWord && !APART[side].test(beside)) return false
  const values: readonly unknown[] = CATALOG[kind].values[name] ?? []
  const isClear = values.includes(value) && (options[name] ?? value) === value
  if (!isClear || RELATION[side].test(beside)) {
    read.unclear.push(written.replace(/[.!]+$/, ''))
    return false
  }
  read.options = { ...options, [name]: value }
  read.prompt = trimSeparators(rest, side)
  return true
}

function findAt(kind: MediaKind, side: Side, text: string) {
  const edge = side === 'start' ? text.slice(0, OPTION_CHARS_MAX) : text.slice(-OPTION_CHARS_MAX)
  const names = optionNames(kind)
  for (const [index, wording] of WORDINGS.entries()) {
    const [written] = REG_EXPS[side][index]?.exec(edge) ?? []
    if (written === undefined || !names.includes(wording.name)) continue
    return { ...wording, written, value: wording.read(written) }
  }
  return undefined
}

const REG_EXPS = {
  start: WORDINGS.map(({ pattern }) => new RegExp(`^(?:${pattern})(?=[\\s,;:.!]|$)`, 'iu')),
  end: WORDINGS.map(({ pattern }) => new RegExp(`(?<=^|[\\s,;:])(?:${pattern})[.!]*$`, 'iu')),
}

function word(shape: string, pattern: string): Wording {
  return { name: 'shape', pattern, read: () => shape, isWord: true }
}

function trimSeparators(text: string, side: Side): string {
  let [from, to] = [0, text.length]
  while (side === 'start' && SEPARATOR.test(text.charAt(from))) from += 1
  while (side === 'end' && SEPARATOR.test(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}
