import type { CostNote } from '../../spend/cost-note.ts'
import { formatMoney, parseMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface CostNoteDeps {
  costNote: CostNote
}

/** Lets admins set from which price of the next message on replies tell it. */
export const costNoteCommand: CommandDefinition<CostNoteDeps> = {
  name: 'costnote',
  audience: 'admins',
  usage: '[roubles|off]',
  create: ({ costNote }) => ({
    async handle(command) {
      const { argument, user, t, answer } = command
      if (argument !== '') {
        const given = parsePrice(argument)
        if (given === 'unknown') return answer(t('costnote-usage'))
        await costNote.set(given, { adminId: user.id })
      }
      await answer(describe(await costNote.read(), command))
    },
  }),
}

function describe(fromMicroRub: bigint | undefined, { user, t }: Command): string {
  if (fromMicroRub === undefined) return t('costnote-off')
  return t('costnote-is', { amount: formatMoney(fromMicroRub, user.languageCode) })
}

/** Undefined for "off". */
function parsePrice(argument: string): bigint | undefined | 'unknown' {
  if (argument.toLowerCase() === 'off') return undefined
  return parseMoney(argument) ?? 'unknown'
}
