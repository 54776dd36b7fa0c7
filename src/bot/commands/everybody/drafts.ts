import type { Users } from '../../people/users.ts'
import type { CommandDefinition } from '../command.ts'

interface DraftsDeps {
  users: Pick<Users, 'usesDrafts' | 'chooseDrafts'>
}

/**
 * Has replies in a private chat grow in drafts of Telegram's (`on`), or in messages (`off`); without
 * either, shows which of them is chosen.
 */
export const draftsCommand: CommandDefinition<DraftsDeps> = {
  name: 'drafts',
  audience: 'everybody',
  usage: '[on|off]',
  create: ({ users }) => ({
    async handle({ user, argument, t, answer }) {
      const choice = argument.toLowerCase()
      if (choice !== 'on' && choice !== 'off') {
        const chosen = (await users.usesDrafts(user.id)) ? 'on' : 'off'
        return answer(t('drafts-choose', { chosen }))
      }
      await users.chooseDrafts(user.id, choice === 'on')
      await answer(t(`drafts-${choice}`))
    },
  }),
}
