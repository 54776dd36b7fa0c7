import type { Command } from './command.ts'

/** Lists the commands, for an admin in private the admins' ones as well: elsewhere they do not work. */
export async function help({ chatId, t, answer, isAdmin }: Command): Promise<void> {
  const isPrivate = chatId > 0
  await answer(isAdmin && isPrivate ? `${t('help')}\n\n${t('help-admin')}` : t('help'))
}
