import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { Sender } from '../telegram/addressing.ts'
import { shortenLine } from '../texts/shorten.ts'

export const USER_FIELDS = {
  id: true,
  firstName: true,
  username: true,
  languageCode: true,
  language: true,
  admission: true,
  role: true,
} as const satisfies Prisma.UserSelect

const NAME_CHARS_MAX = 30
const SEEN_EVERY_MS = 60_000

/** The row of a user who wrote to the bot. `language` is the choice of `/language`. */
export type KnownUser = Prisma.UserGetPayload<{ select: typeof USER_FIELDS }>

/** The user of the current update. `hasOpenCard`: a card of theirs waits for words, in any chat. */
export type MetUser = KnownUser & { hasOpenCard: boolean }

/** Names a user in a list: "Anna (@anna)". A user who erased everything has no name. */
export function nameUser({ firstName, username }: Pick<KnownUser, 'firstName' | 'username'>) {
  const name = shortenLine(firstName, NAME_CHARS_MAX) || '–'
  return username === null ? name : `${name} (@${username})`
}

/** The language of a user: the chosen language, otherwise Telegram's. */
export function languageOf({
  language,
  languageCode,
}: Pick<KnownUser, 'language' | 'languageCode'>): string | undefined {
  return language ?? languageCode ?? undefined
}

/** Reads the sender's current row; writes it for a new user, a new name, or if last seen a minute ago. */
export async function meetUser(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { id, firstName, username, languageCode }: Sender,
): Promise<MetUser> {
  const [user] = await prisma.$queryRaw<MetUser[]>`
    WITH met AS (
      INSERT INTO bot."user" (id, first_name, username, language_code, seen_at)
      VALUES (${id}, ${firstName}, ${username ?? null}, ${languageCode ?? null}, now())
      ON CONFLICT (id) DO UPDATE SET first_name = excluded.first_name,
        username = excluded.username, seen_at = excluded.seen_at,
        language_code = coalesce(excluded.language_code, "user".language_code)
      WHERE ("user".first_name, "user".username, "user".language_code) IS DISTINCT FROM (
          excluded.first_name, excluded.username,
          coalesce(excluded.language_code, "user".language_code))
        OR coalesce("user".seen_at < now() - ${SEEN_EVERY_MS}::int * interval '1 ms', true)
        -- Another update has just met them: the SELECT below does not see the row yet.
        OR NOT EXISTS (SELECT FROM bot."user" AS seen WHERE seen.id = excluded.id)
      RETURNING *
    ), known AS (
      SELECT * FROM met
      UNION ALL SELECT * FROM bot."user" WHERE id = ${id} AND NOT EXISTS (SELECT FROM met)
    )
    SELECT id, first_name AS "firstName", username, language_code AS "languageCode", language,
      admission, role,
      EXISTS (SELECT FROM bot."order" WHERE user_id = known.id AND state = 'draft'
        AND draft ->> 'prompt' IS NULL AND created_at > now() - interval '5 minutes') AS "hasOpenCard"
    FROM known`
  if (user === undefined) throw new Error('Cannot meet user: neither new nor there')
  return user
}

export async function findUser(
  prisma: Pick<PrismaClient, '$queryRaw' | 'user'>,
  text: string,
): Promise<KnownUser | undefined> {
  const id = /^-?\d{1,15}$/.test(text) ? BigInt(text) : await findNamed(prisma, text)
  if (id === undefined) return undefined
  return (await prisma.user.findUnique({ where: { id }, select: USER_FIELDS })) ?? undefined
}

/** Plain SQL: Prisma Client's case-insensitive comparison takes `_` for any letter, and uses no index. */
async function findNamed(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  text: string,
): Promise<bigint | undefined> {
  const [, username] = /^@(\w{1,32})$/.exec(text) ?? []
  if (username === undefined) return undefined
  const [found] = await prisma.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM bot."user" WHERE lower(username) = ${username.toLowerCase()}
    ORDER BY seen_at DESC NULLS LAST LIMIT 1`
  return found?.id
}

/** Locks a user's row for the transaction, which serializes changes to values counted by user. */
export async function lockUser(
  tx: Prisma.TransactionClient,
  userId: bigint | number,
): Promise<void> {
  await tx.$executeRaw`SELECT FROM bot."user" WHERE id = ${userId} FOR NO KEY UPDATE`
}

/** Creates the user's row in the transaction of a turn or an order. */
export async function storeUser(
  tx: Pick<PrismaClient, 'user'>,
  { id, firstName, username, languageCode }: Sender,
): Promise<void> {
  const names = { firstName, username: username ?? null }
  // Keeps a known user's language: the given language may be the user's choice.
  const create = { id, ...names, languageCode: languageCode ?? null }
  await tx.user.upsert({ where: { id }, create, update: names, select: { id: true } })
}
