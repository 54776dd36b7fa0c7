import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { shortenLine } from '../locales/shorten.ts'
import type { Sender } from '../telegram/addressing/sender.ts'

export const USER_FIELDS = {
  id: true,
  firstName: true,
  username: true,
  languageCode: true,
  language: true,
  admission: true,
  admissionAt: true,
  role: true,
  openCardId: true,
} as const satisfies Prisma.UserSelect

const NAME_CHARS_MAX = 30

/** The row of a user who wrote to the bot. `language` is the one chosen with `/language`. */
export type KnownUser = Prisma.UserGetPayload<{ select: typeof USER_FIELDS }>

/** Names a user in a list: "Anna (@anna)". A user who had everything erased has no name any more. */
export function nameUser({ firstName, username }: Pick<KnownUser, 'firstName' | 'username'>) {
  const name = shortenLine(firstName, NAME_CHARS_MAX) || '–'
  return username === null ? name : `${name} (@${username})`
}

/** The language that a user reads: the chosen one, otherwise Telegram's. */
export function languageOf({
  language,
  languageCode,
}: Pick<KnownUser, 'language' | 'languageCode'>): string | undefined {
  return language ?? languageCode ?? undefined
}

/** Finds users, and keeps what they have chosen. */
export function createUsers(prisma: PrismaClient) {
  return { find, chosenLanguage, chooseLanguage }

  /** A name that changed hands is that of who had it last. */
  async function find(text: string): Promise<KnownUser | undefined> {
    const id = /^-?\d{1,15}$/.test(text) ? BigInt(text) : await findNamed(text)
    if (id === undefined) return undefined
    return (await prisma.user.findUnique({ where: { id }, select: USER_FIELDS })) ?? undefined
  }

  /** By plain SQL: what Prisma Client compares in any case takes `_` for any letter, and uses no index. */
  async function findNamed(text: string): Promise<bigint | undefined> {
    const [, username] = /^@(\w{1,32})$/.exec(text) ?? []
    if (username === undefined) return undefined
    const [found] = await prisma.$queryRaw<{ id: bigint }[]>`
      SELECT id FROM bot."user" WHERE lower(username) = ${username.toLowerCase()}
      ORDER BY seen_at DESC NULLS LAST LIMIT 1`
    return found?.id
  }

  async function chosenLanguage(userId: number): Promise<string | null> {
    const select = { language: true } as const
    const { language } = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select })
    return language
  }

  async function chooseLanguage(userId: number, language: string | null): Promise<void> {
    await prisma.user.update({ where: { id: userId }, data: { language } })
  }
}

export type Users = ReturnType<typeof createUsers>

/** Holds a user's row until the transaction ends: those who change what is counted by user take turns. */
export async function lockUser(
  tx: Prisma.TransactionClient,
  userId: bigint | number,
): Promise<void> {
  await tx.$executeRaw`SELECT FROM bot."user" WHERE id = ${userId} FOR NO KEY UPDATE`
}

/** Has a row for the user of a turn or an order, as a part of its transaction. */
export async function storeUser(
  tx: Prisma.TransactionClient,
  { id, firstName, username, languageCode }: Sender,
): Promise<void> {
  const names = { firstName, username: username ?? null }
  // A known user's language is not touched: the one at hand may be what they chose.
  const create = { id, ...names, languageCode: languageCode ?? null }
  await tx.user.upsert({ where: { id }, create, update: names, select: { id: true } })
}
