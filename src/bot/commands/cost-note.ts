import type { CostNotes } from '../spend/cost-notes.ts'
import { formatMoney, parseMoney } from '../spend/format.ts'
import type { CostNote } from '../stored-settings.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import { answerStep, editStep, type Step, type StepReader, valueButton } from './views.ts'

/** The data of a press: a threshold in roubles (0 means always) or a word. */
const COST_NOTE_DATA = /^costnote:(0|1|5|off|default)$/
const OFFERED = [0n, 1n, 5n, 'off'] as const
const MICRO_RUB_PER_RUB = 1_000_000n

export interface CostNoteApp {
  costNotes: CostNotes
}

type Choice = CostNote | 'default' | 'unknown'

export const costNoteStep: Step<CostNoteApp> = {
  name: 'costnote',
  async view({ costNotes }, reader) {
    const { user, t } = reader
    const { note, isOwn } = await costNotes.ofUser(user.id)
    const button = (offered: (typeof OFFERED)[number]) => {
      const value = offered === 'off' ? offered : offered * MICRO_RUB_PER_RUB
      const text = t('costnote-choice', noteVariables(value, user))
      return valueButton(text, { data: `costnote:${offered}`, isChosen: isOwn && note === value })
    }
    const asDefault = valueButton(t('costnote-default'), {
      data: 'costnote:default',
      isChosen: !isOwn,
    })
    const [always, fromOne, fromFive, off] = OFFERED
    return {
      text: `${describe(note, isOwn, reader)}\n\n${t('costnote-change')}`,
      buttons: [[button(always), button(off)], [button(fromOne), button(fromFive)], [asDefault]],
    }
  },
}

/** Lets users choose which of their answers show costs; `/admin` sets the default. */
export const costNoteCommand: CommandDefinition<CostNoteApp> = {
  name: 'costnote',
  audience: 'everybody',
  usage: '[always|from roubles|off|default]',
  async handle(app, command) {
    const { chatId, argument, user, t, answer } = command
    const { costNotes } = app
    if (chatId < 0) return answer(t('command-private'))
    if (argument === '') return answerStep(costNoteStep, app, command)
    const given = readNote(argument)
    if (given === 'unknown') return answer(t('costnote-usage'))
    await costNotes.choose(user.id, given === 'default' ? undefined : given)
    const { note, isOwn } = await costNotes.ofUser(user.id)
    await answer(describe(note, isOwn, command))
  },
  presses: [{ data: COST_NOTE_DATA, press: takePress }],
}

async function takePress(app: CostNoteApp, press: Press): Promise<void> {
  const { match, user, notify } = press
  const [, chosen = ''] = match
  const given = readNote(chosen)
  // The pattern accepts only readable values.
  if (given === 'unknown') throw new RangeError(`Cannot choose cost note "${chosen}"`)
  await app.costNotes.choose(user.id, given === 'default' ? undefined : given)
  await notify()
  await editStep(costNoteStep, app, press)
}

function describe(
  note: CostNote,
  isOwn: boolean,
  { user, t }: Pick<StepReader, 'user' | 't'>,
): string {
  const whose = t('costnote-whose', { whose: isOwn ? 'own' : 'default' })
  return `${t('costnote-is', noteVariables(note, user))} ${whose}`
}

function noteVariables(note: CostNote, { languageCode }: Command['user']) {
  return {
    note: note === 0n ? 'always' : note === 'off' ? 'off' : 'from',
    amount: note === 'off' ? '' : formatMoney(note, languageCode),
  }
}

function readNote(argument: string): Choice {
  const words = argument.toLowerCase()
  if (words === 'off' || words === 'default') return words
  if (words === 'always') return 0n
  return parseMoney(words.replace(/^from\s+/, '')) ?? 'unknown'
}
