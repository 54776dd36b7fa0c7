import type { Users } from '../access/users.ts'
import type { CommandHandler } from './command.ts'

/** Has replies in a private chat grow in drafts of Telegram's (`on`), or in messages (`off`). */
export function createDrafts({ users }: { users: Pick<Users, 'chooseDrafts'> }): CommandHandler {
  return async ({ user, argument, t, answer }) => {
    const choice = argument.toLowerCase()
    if (choice !== 'on' && choice !== 'off') return answer(t('drafts-choose'))
    await users.chooseDrafts(user.id, choice === 'on')
    await answer(t(`drafts-${choice}`))
  }
}
