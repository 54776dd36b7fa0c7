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
import { type TakenWording, takeOptions } from './take-options.ts'

/** An option that cannot be ordered as it was written. */
export interface Question {
  name: OptionName
  /**
   * `no_value`: there is no such length, quality or shape. `contradiction`: several values were written. `no_pair`: it
   * excludes another option. `unclear`: it may be a word of the description.
   */
  reason: 'no_value' | 'contradiction' | 'no_pair' | 'unclear'
  written: string[]
}

/** The options and the description, read from the words after a command. */
export interface WordsRead {
  prompt: string
  /** The options that can be ordered. They override the user's settings. */
  options: MediaOptions
  /** Open questions, at most one for each option. */
  questions: Question[]
  /** Each choice answers all questions and overrides `options`. */
  choices: MediaOptions[]
  /** The description with the words in question, if they are no options. */
  literalPrompt: string | undefined
}

/** The wordings of one option, with the values that it may have. */
interface Understood {
  name: OptionName
  wordings: TakenWording[]
  values: readonly (number | string)[]
  reason?: Question['reason'] | undefined
}

/**
 * Reads the words after a command: options at the start and the end, in English or Russian, and the description between
 * them (docs/bot.md#options-in-words).
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
    questions: open.flatMap(({ name, reason, wordings }) => {
      const written = [...new Set(wordings.map((wording) => wording.written))]
      return reason === undefined ? [] : [{ name, reason, written }]
    }),
    choices: open.length === 0 ? [] : findChoices(kind, open, { settled: options, settings }),
    literalPrompt: open.length === 0 || hasNoPair ? undefined : describe(isInQuestion),
  }
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
  if (!wordings.some(({ isUnclear }) => isUnclear)) return [{ name, wordings, values }]
  return [{ name, wordings, values: shownValues(kind, name), reason: 'unclear' }]
}

/** Ignores a word that stays in the description, and "hd", beside another value of the option. */
function leaveOutWeak(wordings: TakenWording[]): TakenWording[] {
  const strong = wordings.filter(({ stays, isUnclear, form, says }) => {
    const isHd = form === 'style' && says.quality === '720p'
    return (!stays || isUnclear) && !isHd
  })
  return strong.length > 0 ? strong : wordings
}

function markNoPair(
  kind: MediaKind,
  understood: Understood[],
  settings: MediaOptions,
): Understood[] {
  const isClear = ({ reason }: Understood) => reason === undefined
  const untouched = optionNames(kind).filter((name) => understood.every((one) => one.name !== name))
  const set = complete(kind, settings)
  const options = { ...pick(set, untouched), ...toOptions(understood.filter(isClear)) }
  if (exists(kind, options)) return understood
  const isToBlame = ({ name }: Understood) => exists(kind, { ...options, [name]: undefined })
  return understood.map((one) =>
    isClear(one) && isToBlame(one) ? { ...one, reason: 'no_pair' } : one,
  )
}

/**
 * Finds every choice of the open options that exists with the settled options. If a user's setting excludes a choice,
 * the choice changes the setting. A choice keeps all but one of the options that exclude each other.
 */
function findChoices(
  kind: MediaKind,
  open: readonly Understood[],
  { settled, settings }: { settled: MediaOptions; settings: MediaOptions },
): MediaOptions[] {
  const unpaired = open.filter(({ reason }) => reason === 'no_pair')
  let choices: MediaOptions[] = [{}]
  for (const { name, values, reason } of open) {
    const all = reason === 'no_pair' ? shownValues(kind, name) : values
    choices = choices.flatMap((choice) => all.map((value) => ({ ...choice, [name]: value })))
  }
  return choices.flatMap((choice) => {
    const changed = unpaired.filter(({ name, values }) => choice[name] !== values[0])
    if (changed.length > 1) return []
    const options = { ...complete(kind, settings), ...settled, ...choice }
    if (exists(kind, options)) return [choice]
    const change = optionNames(kind)
      .filter((name) => !(name in { ...settled, ...choice }))
      .flatMap((name) => shownValues(kind, name).map((value) => ({ [name]: value })))
      .find((one) => exists(kind, { ...options, ...one }))
    return change === undefined ? [] : [{ ...choice, ...change }]
  })
}

function pick(options: MediaOptions, names: readonly OptionName[]): MediaOptions {
  return Object.fromEntries(names.map((name) => [name, options[name]]))
}

/** @param clear Each with one value. */
function toOptions(clear: readonly Understood[]): MediaOptions {
  return Object.fromEntries(clear.map(({ name, values }) => [name, values[0]]))
}
