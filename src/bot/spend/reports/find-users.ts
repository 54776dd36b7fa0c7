import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Admission, UserRole } from '../../../platform/database/generated/enums.ts'
import type { Calendar } from '../calendar.ts'
import { counterOn } from '../charges/sums.ts'
import type { UserPage, UserSpend } from './overview.ts'
import type { DateRange } from './span.ts'
import { SPEND_COLUMNS, type Spend } from './spend.ts'

/** Some of the users of a search. */
export interface UsersFound {
  users: UserSpend[]
  total: number
}

interface FoundRow extends Spend {
  id: bigint
  firstName: string
  username: string | null
  total: number
}

/** Capital letters of all scripts, also where the database's own locale knows ASCII only. */
const FOLDING = Prisma.sql`COLLATE "und-x-icu"`

/** More words make no search clearer. */
const WORDS_MAX = 5

/**
 * Finds users by an @username, or by an id or words that each stand in the name or the username; without a
 * search all who spent anything. Who spent most comes first.
 */
export async function findUsers(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  {
    range: { from, to },
    search = '',
    skip,
    take,
  }: UserPage & { range: DateRange; search?: string | undefined },
): Promise<UsersFound> {
  const sums = from === undefined ? Prisma.sql`bot.spend_total` : Prisma.sql`bot.spend_day`
  const isAsked =
    from === undefined ? Prisma.sql`true` : Prisma.sql`day BETWEEN ${from}::date AND ${to}::date`
  const rows = await prisma.$queryRaw<FoundRow[]>`
    WITH spent AS (
      SELECT user_id, sum(amount_micro_rub) AS amount FROM ${sums} WHERE ${isAsked} GROUP BY user_id
    ),
    -- All of them, before any is looked for: where PostgreSQL takes a search to find one user alone, it
    -- would go through the sums of all users for each that it finds.
    everybody AS MATERIALIZED (
      SELECT id, first_name, username, user_id, coalesce(amount, 0) AS amount
      FROM bot."user" LEFT JOIN spent ON user_id = id
    ),
    found AS (SELECT * FROM everybody WHERE ${isMeantBy(search) ?? Prisma.sql`user_id IS NOT NULL`}),
    page AS (SELECT * FROM found ORDER BY amount DESC, id LIMIT ${take} OFFSET ${skip})
    SELECT id, first_name AS "firstName", username, coalesce(charges, 0) AS charges,
      coalesce("amountMicroRub", 0) AS "amountMicroRub",
      coalesce("estimatedMicroRub", 0) AS "estimatedMicroRub",
      coalesce("writtenOffMicroRub", 0) AS "writtenOffMicroRub",
      coalesce("historyMicroRub", 0) AS "historyMicroRub", (SELECT count(*) FROM found)::int AS total
    FROM page, LATERAL (
      SELECT ${SPEND_COLUMNS} FROM ${sums} WHERE ${isAsked} AND user_id = page.id
    ) AS own
    ORDER BY amount DESC, id`
  return {
    users: rows.map(({ id, firstName, username, total: _, ...spend }) => {
      return { user: { id, firstName, username }, spend }
    }),
    total: rows[0]?.total ?? 0,
  }
}

/** A user that the bot knows, with what a list shows of them. */
export interface SeenUser {
  id: bigint
  firstName: string
  username: string | null
  admission: Admission | null
  role: UserRole | null
  seenAt: Date | null
  monthMicroRub: bigint
}

/** Lists the users who ever wrote to the bot, or those that a search means, the last seen first. */
export function listKnownUsers(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { search, take }: { search: string; take: number },
  calendar: Pick<Calendar, 'today'>,
): Promise<SeenUser[]> {
  return prisma.$queryRaw`
    SELECT id, first_name AS "firstName", username, admission::text, role::text,
      seen_at AS "seenAt",
      coalesce(${counterOn('month', calendar.today(), 'spender')}, 0)::bigint AS "monthMicroRub"
    FROM bot."user" LEFT JOIN bot.spender USING (id)
    WHERE ${isMeantBy(search) ?? Prisma.sql`true`}
    ORDER BY seen_at DESC NULLS LAST, id LIMIT ${take}`
}

/**
 * SQL of a condition on the rows of `bot.user`: those that an id, an @username or words mean. Undefined for a search
 * without a word, which means no user, or all of them.
 */
export function isMeantBy(typed: string): Prisma.Sql | undefined {
  const search = toStorable(typed).trim()
  const [, username] = /^@(\w+)$/.exec(search) ?? []
  if (username !== undefined) return Prisma.sql`lower(username) = ${username.toLowerCase()}`
  const words = search.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return undefined
  const conditions = words.slice(0, WORDS_MAX).map((word) => {
    // A regular expression takes a fifth of what ILIKE does, which folds each name first.
    const pattern = word.replace(/[^\p{L}\p{N}]/gu, '\\$&')
    return Prisma.sql`(first_name ${FOLDING} ~* ${pattern} OR username ~* ${pattern})`
  })
  const named = Prisma.join(conditions, ' AND ')
  const [, id] = /^(-?\d{1,18})$/.exec(search) ?? []
  return id === undefined ? named : Prisma.sql`(id = ${BigInt(id)} OR ${named})`
}

/** Keeps what PostgreSQL takes as text: no null characters, no halves of characters. */
function toStorable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
