import type { Command } from './command.ts'

/** Lists the commands, for an admin the admins' ones as well. */
export async function help({ t, answer, isAdmin }: Command): Promise<void> {
  await answer(isAdmin ? `${t('help')}\n\n${t('help-admin')}` : t('help'))
}
