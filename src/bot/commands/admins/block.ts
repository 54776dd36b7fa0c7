import type { AccessRequests } from '../../people/access/requests.ts'
import { nameUser, type Users } from '../../people/users.ts'
import type { CommandDefinition } from '../command.ts'

interface BlockDeps {
  users: Pick<Users, 'find'>
  requests: Pick<AccessRequests, 'set'>
}

/** Blocks a user, or lets one who was blocked in again. */
export const blockCommand: CommandDefinition<BlockDeps> = {
  name: 'block',
  audience: 'admins',
  usage: '@name|id [off]',
  create: ({ users, requests }) => ({
    async handle(command) {
      const { argument, t, answer } = command
      const [, who = '', off] = /^(\S+)(?:\s+(off))?$/i.exec(argument) ?? []
      if (who === '') return answer(t('block-usage'))
      const user = await users.find(who)
      if (user === undefined) return answer(t('user-unknown'))
      const isOff = off !== undefined
      const variables = { name: nameUser(user), id: String(user.id) }
      if (isOff && user.admission !== 'blocked') return answer(t('block-not', variables))
      const decision = isOff ? 'allowed' : 'blocked'
      const { outcome } = await requests.set({
        userId: Number(user.id),
        decision,
        adminId: command.user.id,
      })
      const key = outcome === 'admin' ? 'block-admin' : isOff ? 'block-off-done' : 'block-done'
      await answer(t(key, variables))
    },
  }),
}
