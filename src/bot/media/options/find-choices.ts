import type { MediaKind } from '../../../contract/tasks.ts'
import {
  complete,
  exists,
  type MediaOptions,
  type OptionName,
  optionNames,
  shownValues,
} from '../catalog.ts'

interface Open {
  name: OptionName
  values: readonly (number | string)[]
  reason?: string | undefined
}

/**
 * Finds every way to choose what is open so that it goes with what is settled. Where an option that was
 * only set does not go with a choice, the choice changes it.
 *
 * Of options that do not go together a choice keeps all but one.
 */
export function findChoices(
  kind: MediaKind,
  open: readonly Open[],
  { settled, settings }: { settled: MediaOptions; settings: MediaOptions },
): MediaOptions[] {
  const unpaired = open.filter(({ reason }) => reason === 'no_pair')
  const isNear = (choice: MediaOptions) =>
    unpaired.filter(({ name, values }) => choice[name] !== values[0]).length <= 1
  return combine(kind, open)
    .filter(isNear)
    .flatMap((choice) => {
      const options = { ...complete(kind, settings), ...settled, ...choice }
      if (exists(kind, options)) return [choice]
      const change = findChange(kind, options, { ...settled, ...choice })
      return change === undefined ? [] : [{ ...choice, ...change }]
    })
}

function combine(kind: MediaKind, open: readonly Open[]): MediaOptions[] {
  let choices: MediaOptions[] = [{}]
  for (const { name, values, reason } of open) {
    const all = reason === 'no_pair' ? shownValues(kind, name) : values
    choices = choices.flatMap((choice) => all.map((value) => ({ ...choice, [name]: value })))
  }
  return choices
}

function findChange(
  kind: MediaKind,
  options: MediaOptions,
  firm: MediaOptions,
): MediaOptions | undefined {
  return optionNames(kind)
    .filter((name) => !(name in firm))
    .flatMap((name) => shownValues(kind, name).map((value) => ({ [name]: value })))
    .find((change) => exists(kind, { ...options, ...change }))
}
