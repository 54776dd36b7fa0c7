import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { Access } from './access.ts'
import { languageOf, USER_FIELDS } from './users.ts'

export interface ShowRoleDeps {
  prisma: PrismaClient
  access: Pick<Access, 'roleOf'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  showMenus: (user: {
    userId: number
    role: UserRole | undefined
    languageCode: string | undefined
  }) => Promise<void>
  log: Logger
}

const SENTENCES = {
  admin: 'role-now-admin',
  viewer: 'role-now-viewer',
  none: 'role-now-none',
} as const

/**
 * Has a user whose role changed see it: the menus of the new one, and a sentence. Safe to repeat: the sentence
 * is sent once, unless a process dies in between.
 */
export function createShowRole({ prisma, access, outbox, texts, showMenus, log }: ShowRoleDeps) {
  return async function showRole(userId: number): Promise<boolean> {
    const select = { ...USER_FIELDS, isRoleUntold: true } as const
    const user = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select })
    const role = access.roleOf(user)
    await showMenus({ userId, role, languageCode: languageOf(user) })
    if (!user.isRoleUntold) return false
    try {
      const text = texts.t(languageOf(user), SENTENCES[role ?? 'none'])
      await outbox.send({ chatId: userId, text })
    } catch (error) {
      log.info({ ...errorFacts(error), userId }, 'user maybe not notified of a new role')
    }
    await prisma.user.update({ where: { id: userId }, data: { isRoleUntold: false } })
    return true
  }
}

export type ShowRole = ReturnType<typeof createShowRole>
