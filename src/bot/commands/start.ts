import type { Command } from './command.ts'

/** Says what the bot is for. */
export async function start({ t, answer, user }: Command): Promise<void> {
  await answer(t('start', { name: user.firstName }))
}
