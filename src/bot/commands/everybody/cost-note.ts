import type { CostNote, CostNotes } from '../../spend/cost-notes.ts'
import { formatMoney, parseMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface CostNoteDeps {
  costNotes: CostNotes
}

const FOR_ALL = /^all(?:$|\s+)(.*)$/is

/** The argument: a note, `default` for the one of everybody, or neither. */
type Choice = CostNote | 'default' | 'unknown'

/**
 * Lets everybody choose which of their answers show costs, and admins which do for users who chose nothing
 * (`/costnote all …`).
 */
export const costNoteCommand: CommandDefinition<CostNoteDeps> = {
  name: 'costnote',
  audience: 'everybody',
  usage: '[always|from roubles|off|default]',
  create: ({ costNotes }) => ({
    handle(command) {
      const [, forAll] = FOR_ALL.exec(command.argument) ?? []
      return forAll === undefined
        ? chooseOwn(command, costNotes)
        : setForAll({ ...command, argument: forAll }, costNotes)
    },
  }),
}

async function chooseOwn(command: Command, costNotes: CostNotes): Promise<void> {
  const { argument, user, isAdmin, t, answer } = command
  if (argument !== '') {
    const given = readNote(argument)
    if (given === 'unknown') return answer(t('costnote-usage'))
    await costNotes.choose(user.id, given === 'default' ? undefined : given)
  }
  const { note, isOwn } = await costNotes.ofUser(user.id)
  const lines = [
    describe(note, isOwn ? 'own' : 'default', command),
    t('costnote-change'),
    ...(isAdmin ? [t('costnote-change-all')] : []),
  ]
  await answer(lines.join('\n\n'))
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

function describe(note: CostNote, whose: 'own' | 'default' | 'all', { user, t }: Command): string {
  const shown = t('costnote-is', {
    note: note === 0n ? 'always' : note === 'off' ? 'off' : 'from',
    amount: note === 'off' ? '' : formatMoney(note, user.languageCode),
  })
  return `${shown} ${t('costnote-whose', { whose })}`
}

function readNote(argument: string): Choice {
  const words = argument.toLowerCase()
  if (words === 'off' || words === 'default') return words
  if (words === 'always') return 0n
  return parseMoney(words.replace(/^from\s+/, '')) ?? 'unknown'
}
