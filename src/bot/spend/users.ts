/** Finds users and groups: by a search, or as the subject of a limit. */
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { Admission, UserRole } from '../../platform/database/generated/enums.ts'
import type { Calendar } from './calendar.ts'
import { ALL_GROUPS, ALL_USERS, EVERYBODY } from './limits.ts'

/** Capital letters of all scripts, also if the database's own locale knows ASCII only. */
const FOLDING = Prisma.sql`COLLATE "und-x-icu"`

/** More words do not make a search clearer. */
const WORDS_MAX = 5

export interface SeenUser {
  id: bigint
  firstName: string
  username: string | null
  admission: Admission | null
  role: UserRole | null
  seenAt: Date | null
  monthMicroRub: bigint
}

export interface UserName {
  /** Below zero: a group that asked in its own name. */
  id: bigint
  /** Empty if the user had everything erased. */
  firstName: string
  username: string | null
}

export function findUsers(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  search: string,
): Promise<UserName[]> {
  return prisma.$queryRaw`
    SELECT id, first_name AS "firstName", username FROM bot."user"
    WHERE ${isMeantBy(search)} ORDER BY id`
}

/** The last seen user is first. */
export function listKnownUsers(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { search, take }: { search: string; take: number },
  calendar: Pick<Calendar, 'firstOf'>,
): Promise<SeenUser[]> {
  return prisma.$queryRaw`
    SELECT id, first_name AS "firstName", username, admission::text, role::text,
      seen_at AS "seenAt", (
        SELECT coalesce(sum(amount_micro_rub), 0)::bigint FROM bot.spend_day
        WHERE user_id = "user".id AND day >= (SELECT ${calendar.firstOf('month')})
      ) AS "monthMicroRub"
    FROM bot."user" WHERE ${isMeantBy(search)}
    ORDER BY seen_at DESC NULLS LAST, id LIMIT ${take}`
}

/** Returns SQL that finds rows of `bot.user` by id, @username or words; a blank search finds all. */
export function isMeantBy(typed: string): Prisma.Sql {
  const search = toStorable(typed).trim()
  const [, username] = /^@(\w+)$/.exec(search) ?? []
  if (username !== undefined) return Prisma.sql`lower(username) = ${username.toLowerCase()}`
  const words = search.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return Prisma.sql`true`
  const conditions = words.slice(0, WORDS_MAX).map((word) => {
    // A regular expression takes a fifth of the time of ILIKE, which folds each name first.
    const pattern = word.replace(/[^\p{L}\p{N}]/gu, '\\$&')
    return Prisma.sql`(first_name ${FOLDING} ~* ${pattern} OR username ~* ${pattern})`
  })
  const named = Prisma.join(conditions, ' AND ')
  const [, id] = /^(-?\d{1,18})$/.exec(search) ?? []
  return id === undefined ? named : Prisma.sql`(id = ${BigInt(id)} OR ${named})`
}

/** PostgreSQL's text has no null characters and no halves of characters. */
function toStorable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

export interface Subject {
  /** A user's id, a group's, `ALL_USERS`, `ALL_GROUPS` or `EVERYBODY`. */
  id: bigint
  name?: string
}

const SUBJECT_ID = /^-?\d{1,15}$/
const USERNAME = /^@\w{1,32}$/
const SUBJECT_WORDS: Readonly<Record<string, bigint>> = {
  default: ALL_USERS,
  groups: ALL_GROUPS,
  all: EVERYBODY,
  все: EVERYBODY,
}

/** @returns `unknown` if the bot has met no such user or group, `ambiguous` if several users had this name. */
export async function findSubject(
  prisma: Pick<PrismaClient, 'user' | 'spendDay' | 'conversation' | '$queryRaw'>,
  text: string,
): Promise<Subject | 'unknown' | 'ambiguous'> {
  const id = SUBJECT_WORDS[text.toLowerCase()]
  if (id !== undefined) return { id }
  if (SUBJECT_ID.test(text)) return findById(prisma, BigInt(text))
  if (!USERNAME.test(text)) return 'unknown'
  const [user, other] = await findUsers(prisma, text)
  if (user === undefined) return 'unknown'
  return other === undefined ? { id: user.id, name: user.firstName } : 'ambiguous'
}

async function findById(
  prisma: Pick<PrismaClient, 'user' | 'spendDay' | 'conversation'>,
  id: bigint,
): Promise<Subject | 'unknown'> {
  const user = await prisma.user.findUnique({ where: { id }, select: { firstName: true } })
  if (user !== null) return { id, name: user.firstName }
  if (id >= 0n) return 'unknown'
  const found = { where: { chatId: id }, select: { chatId: true } }
  const isKnown =
    (await prisma.spendDay.findFirst(found)) ?? (await prisma.conversation.findFirst(found))
  return isKnown === null ? 'unknown' : { id }
}
