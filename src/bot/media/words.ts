import type { MediaKind } from '../../contract/tasks.ts'
import {
  CATALOG,
  complete,
  exists,
  type MediaOptions,
  type OptionName,
  optionNames,
  shownValues,
} from './catalog.ts'
import { findChoices } from './options/find-choices.ts'
import { type TakenWording, takeOptions } from './options/take-options.ts'

/** Something that was asked for and cannot be ordered as it was written. */
export interface Question {
  name: OptionName
  /**
   * `no_value`: there is no such length, quality or shape. `contradiction`: more than one of them was
   * written. `no_pair`: it does not go with another option. `unclear`: it may be a word of the description.
   */
  reason: 'no_value' | 'contradiction' | 'no_pair' | 'unclear'
  written: string[]
}

/** The options and the description, read from the words after a command. */
export interface WordsRead {
  prompt: string
  /** The options that were understood and can be ordered. They count more than the user's settings. */
  options: MediaOptions
  /** Nothing may be ordered before these are answered; one at most for each option. */
  questions: Question[]
  /** Each answers all the questions. It counts more than `options`. */
  choices: MediaOptions[]
  /** The description with the words in question left in: the answer "they are no options". */
  literalPrompt: string | undefined
}

/**
 * Reads what a user wrote after the command: options at the very start and the very end, in English or
 * Russian, and between them the description.
 *
 * How an option may be written: docs/bot.md#options-in-words.
 */
export function readWords(kind: MediaKind, text: string, settings: MediaOptions = {}): WordsRead {
  const { taken, describe } = takeOptions(kind, text)
  const single = optionNames(kind).flatMap((name) => understand(kind, name, taken))
  const understood = markNoPair(kind, single, settings)
  const options = toOptions(understood.filter(({ reason }) => reason === undefined))
  const open = understood.filter(({ reason }) => reason !== undefined)
  const hasNoPair = open.some(({ reason }) => reason === 'no_pair')
  const isInQuestion = ({ says }: TakenWording) => open.some(({ name }) => name in says)
  return {
    prompt: describe(),
    options,
    questions: open.flatMap(({ name, reason, wordings }) =>
      reason === undefined ? [] : [{ name, reason, written: toWritten(wordings) }],
    ),
    choices: open.length === 0 ? [] : findChoices(kind, open, { settled: options, settings }),
    literalPrompt: open.length === 0 || hasNoPair ? undefined : describe(isInQuestion),
  }
}

interface Understood {
  name: OptionName
  wordings: TakenWording[]
  values: readonly (number | string)[]
  reason?: Question['reason'] | undefined
}

function understand(
  kind: MediaKind,
  name: OptionName,
  taken: readonly TakenWording[],
): Understood[] {
  const wordings = leaveOutWeak(taken.filter(({ says }) => name in says))
  const written = [...new Set(wordings.flatMap(({ says }) => says[name] ?? []))]
  if (written.length === 0) return []
  const known: readonly unknown[] = CATALOG[kind].values[name] ?? []
  const isKnown = written.every((value) => known.includes(value))
  const values = isKnown ? written : shownValues(kind, name)
  if (written.length > 1) return [{ name, wordings, values, reason: 'contradiction' }]
  if (!isKnown) return [{ name, wordings, values, reason: 'no_value' }]
  const isUnclear = wordings.some(({ verdict }) => verdict === 'ask' || verdict === 'ask_keep')
  if (!isUnclear) return [{ name, wordings, values }]
  return [{ name, wordings, values: shownValues(kind, name), reason: 'unclear' }]
}

/** A word that stays in the description, and "hd" beside another quality, count for nothing. */
function leaveOutWeak(wordings: TakenWording[]): TakenWording[] {
  const strong = wordings.filter(
    ({ verdict, form, says }) =>
      verdict !== 'keep' && !(form === 'style' && says.quality === '720p'),
  )
  return strong.length > 0 ? strong : wordings
}

function markNoPair(
  kind: MediaKind,
  understood: Understood[],
  settings: MediaOptions,
): Understood[] {
  const isClear = ({ reason }: Understood) => reason === undefined
  const set = complete(kind, settings)
  const untouched = Object.fromEntries(
    optionNames(kind)
      .filter((name) => understood.every((one) => one.name !== name))
      .map((name) => [name, set[name]]),
  )
  const options = { ...untouched, ...toOptions(understood.filter(isClear)) }
  if (exists(kind, options)) return understood
  const isToBlame = ({ name }: Understood) => exists(kind, { ...options, [name]: undefined })
  return understood.map((one) =>
    isClear(one) && isToBlame(one) ? { ...one, reason: 'no_pair' } : one,
  )
}

/** @param clear Each with one value. */
function toOptions(clear: readonly Understood[]): MediaOptions {
  return Object.fromEntries(clear.map(({ name, values }) => [name, values[0]]))
}

function toWritten(wordings: readonly TakenWording[]): string[] {
  return [...new Set(wordings.map(({ written }) => written))]
}
