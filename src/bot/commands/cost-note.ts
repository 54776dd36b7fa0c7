import type { CostNotes } from '../spend/cost-notes.ts'
import { formatMoney, parseMoney } from '../spend/format.ts'
import type { CostNote } from '../stored-settings.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import { answerStep, editStep, type Step, type StepReader, valueButton } from './views.ts'

/** The data of a press: a note in roubles, where 0 is always, or a word. */
const COST_NOTE_DATA = /^costnote:(0|1|5|off|default)$/
const OFFERED = [0n, 1n, 5n, 'off'] as const
const MICRO_RUB_PER_RUB = 1_000_000n

export interface CostNoteApp {
  costNotes: CostNotes
}

const FOR_ALL = /^all(?:$|\s+)(.*)$/is

type Choice = CostNote | 'default' | 'unknown'

/** Chooses which answers of a user's show costs. */
export const costNoteStep: Step<CostNoteApp> = {
  name: 'costnote',
  isOwn: true,
  async state({ costNotes }, { user }) {
    return noteVariables((await costNotes.ofUser(user.id)).note, user)
  },
  async view({ costNotes }, reader) {
    const { user, isAdmin, t } = reader
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
      text: [
        describe(note, isOwn ? 'own' : 'default', reader),
        t('costnote-change'),
        ...(isAdmin ? [t('costnote-change-all')] : []),
      ].join('\n\n'),
      buttons: [[button(always), button(off)], [button(fromOne), button(fromFive)], [asDefault]],
    }
  },
}

/**
 * Lets everybody choose which of their answers show costs, and admins which do for users who chose nothing
 * (`/costnote all …`).
 */
export const costNoteCommand: CommandDefinition<CostNoteApp> = {
  name: 'costnote',
  audience: 'everybody',
  usage: '[always|from roubles|off|default]',
  handle(app, command) {
    const [, forAll] = FOR_ALL.exec(command.argument) ?? []
    return forAll === undefined
      ? chooseOwn(app, command)
      : setForAll({ ...command, argument: forAll }, app.costNotes)
  },
  presses: [{ data: COST_NOTE_DATA, press: takePress }],
}

async function chooseOwn(app: CostNoteApp, command: Command): Promise<void> {
  const { argument, user, t, answer } = command
  const { costNotes } = app
  if (argument === '') return answerStep(costNoteStep, app, command)
  const given = readNote(argument)
  if (given === 'unknown') return answer(t('costnote-usage'))
  await costNotes.choose(user.id, given === 'default' ? undefined : given)
  const { note, isOwn } = await costNotes.ofUser(user.id)
  await answer(describe(note, isOwn ? 'own' : 'default', command))
}

async function takePress(app: CostNoteApp, press: Press): Promise<void> {
  const { match, user, notify } = press
  const [, chosen = ''] = match
  const given = readNote(chosen)
  // The pattern lets through what can be read.
  if (given === 'unknown') throw new RangeError(`Cannot choose cost note "${chosen}"`)
  await app.costNotes.choose(user.id, given === 'default' ? undefined : given)
  await notify()
  await editStep(costNoteStep, app, press)
}

async function setForAll(command: Command, costNotes: CostNotes): Promise<void> {
  const { chatId, argument, user, isAdmin, t, answer } = command
  if (!isAdmin) return answer(t('admins-only'))
  // Everybody in a group reads the answer.
  if (chatId < 0) return answer(t('command-private'))
  if (argument !== '') {
    const given = readNote(argument)
    if (given === 'unknown' || given === 'default') return answer(t('costnote-usage-all'))
    await costNotes.setForAll(given, { adminId: user.id })
  }
  await answer(describe(await costNotes.ofAll(), 'all', command))
}

function describe(
  note: CostNote,
  whose: 'own' | 'default' | 'all',
  { user, t }: Pick<StepReader, 'user' | 't'>,
): string {
  return `${t('costnote-is', noteVariables(note, user))} ${t('costnote-whose', { whose })}`
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
