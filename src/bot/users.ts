import type { Prisma, PrismaClient } from '../database/generated/client.ts'
import type { Sender } from './addressing/sender.ts'

export const USER_FIELDS = {
  id: true,
  firstName: true,
  username: true,
  languageCode: true,
  language: true,
  admission: true,
  admissionAt: true,
  role: true,
} as const satisfies Prisma.UserSelect

/** What is kept of somebody who wrote to the bot. `language` is the one chosen with `/language`. */
export type KnownUser = Prisma.UserGetPayload<{ select: typeof USER_FIELDS }>

/** The language that a user reads: the chosen one, otherwise Telegram's. */
export function languageOf({
  language,
  languageCode,
}: Pick<KnownUser, 'language' | 'languageCode'>): string | undefined {
  return language ?? languageCode ?? undefined
}

/** What users are called and read, as they and Telegram last told. */
export function createUsers(prisma: PrismaClient) {
  return { meet, chooseLanguage, usesDrafts, chooseDrafts }

  /** Finds who sent an update, noted as they are now. Writes only what changed. */
  async function meet(sender: Sender): Promise<KnownUser> {
    const where = { id: sender.id }
    const known = await prisma.user.findUnique({ where, select: USER_FIELDS })
    const facts = {
      firstName: sender.firstName,
      username: sender.username ?? null,
      languageCode: sender.languageCode ?? known?.languageCode ?? null,
    }
    const isSame =
      known?.firstName === facts.firstName &&
      known.username === facts.username &&
      known.languageCode === facts.languageCode
    if (isSame) return known
    const create = { ...where, ...facts }
    return prisma.user.upsert({ where, create, update: facts, select: USER_FIELDS })
  }

  /** @param language Null is Telegram's. */
  async function chooseLanguage(userId: number, language: string | null): Promise<void> {
    await prisma.user.update({ where: { id: userId }, data: { language } })
  }

  /** Whether replies in the user's private chat grow in drafts of Telegram's. */
  async function usesDrafts(userId: number): Promise<boolean> {
    const select = { usesDrafts: true } as const
    return (await prisma.user.findUniqueOrThrow({ where: { id: userId }, select })).usesDrafts
  }

  /** Whether replies grow in drafts of Telegram's from now on, where it has them. */
  async function chooseDrafts(userId: number, usesDrafts: boolean): Promise<void> {
    await prisma.user.update({ where: { id: userId }, data: { usesDrafts } })
  }
}

export type Users = ReturnType<typeof createUsers>

/** Holds a user's row until the transaction ends: who changes what is counted by user takes turns. */
export async function lockUser(
  tx: Prisma.TransactionClient,
  userId: bigint | number,
): Promise<void> {
  await tx.$executeRaw`SELECT FROM bot."user" WHERE id = ${userId} FOR NO KEY UPDATE`
}

/**
 * Has a row for the user of a turn or an order, as a part of its transaction.
 *
 * @returns What they have chosen.
 */
export async function noteUser(
  tx: Prisma.TransactionClient,
  { id, firstName, username, languageCode }: Sender,
): Promise<{ usesDrafts: boolean }> {
  const names = { firstName, username: username ?? null }
  // A known user's language is not touched: the one at hand may be what they chose.
  const create = { id, ...names, languageCode: languageCode ?? null }
  const select = { usesDrafts: true } as const
  return tx.user.upsert({ where: { id }, create, update: names, select })
}
