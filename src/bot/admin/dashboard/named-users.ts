import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { toLanguage } from '../../locales/texts.ts'
import { languageOf } from '../../people/users.ts'
import type { NamedUser } from '../../settings/change-log.ts'
import type { WireVisitor } from './api.ts'

/**
 * Reads the names of users for the page. One who never wrote to the bot, or had everything erased, has an empty name.
 */
export function createNamedUsers(prisma: Pick<PrismaClient, 'user'>) {
  return { describe, names }

  async function describe(
    userId: number,
  ): Promise<Pick<WireVisitor, 'name' | 'username' | 'language'>> {
    const user = await prisma.user.findUnique({ where: { id: userId } })
    if (user === null) return { name: '', username: null, language: null }
    const languageCode = languageOf(user)
    return {
      name: user.firstName,
      username: user.username,
      language: languageCode === undefined ? null : toLanguage(languageCode),
    }
  }

  async function names(ids: readonly bigint[]): Promise<(id: bigint) => NamedUser> {
    const users = await prisma.user.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, firstName: true, username: true },
    })
    const byId = new Map(users.map((user) => [user.id, user]))
    return (id) => {
      const { firstName: name = '', username = null } = byId.get(id) ?? {}
      return { id: Number(id), name, username }
    }
  }
}
