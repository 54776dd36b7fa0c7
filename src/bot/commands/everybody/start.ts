import type { CommandDefinition } from '../command.ts'

/** Says what the bot is for. Telegram's own Start button sends it. */
export const startCommand: CommandDefinition<unknown> = {
  name: 'start',
  audience: 'everybody',
  isHidden: true,
  create: () => ({
    handle: ({ t, answer, user }) => answer(t('start', { name: user.firstName })),
  }),
}
