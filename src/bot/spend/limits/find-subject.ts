import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { EVERYBODY } from './everybody.ts'
import { ALL_GROUPS, ALL_USERS } from './limits.ts'

/** The user, the group, the default or everybody that a limit is for. */
export interface Subject {
  /** A user's id, a group's, `ALL_USERS`, `ALL_GROUPS` or `EVERYBODY`. */
  id: bigint
  name?: string
}

/** `unknown`: the bot has met no such user or group. `ambiguous`: several users had this name. */
export type SubjectFound = Subject | 'unknown' | 'ambiguous'

const ID = /^-?\d{1,15}$/
const USERNAME = /^@\w{1,32}$/
const WORDS: Readonly<Record<string, bigint>> = {
  default: ALL_USERS,
  groups: ALL_GROUPS,
  all: EVERYBODY,
  все: EVERYBODY,
}

/** Finds the user or the group that somebody names by an id, a @username, or as `default`, `groups` or `all`. */
export async function findSubject(
  prisma: Pick<PrismaClient, 'user' | 'spender' | 'conversation' | '$queryRaw'>,
  text: string,
): Promise<SubjectFound> {
  const id = WORDS[text.toLowerCase()]
  if (id !== undefined) return { id }
  if (ID.test(text)) return findById(prisma, BigInt(text))
  if (!USERNAME.test(text)) return 'unknown'
  // Not the client's comparison without case: that takes an underscore for any character.
  const named = await prisma.$queryRaw<{ id: bigint; firstName: string }[]>`
    SELECT id, first_name AS "firstName" FROM bot."user"
    WHERE lower(username) = ${text.slice(1).toLowerCase()} LIMIT 2`
  const [user, other] = named
  if (user === undefined) return 'unknown'
  return other === undefined ? { id: user.id, name: user.firstName } : 'ambiguous'
}

async function findById(
  prisma: Pick<PrismaClient, 'user' | 'spender' | 'conversation'>,
  id: bigint,
): Promise<SubjectFound> {
  const user = await prisma.user.findUnique({ where: { id }, select: { firstName: true } })
  if (user !== null) return { id, name: user.firstName }
  if (id >= 0n) return 'unknown'
  // A group where something was asked, be it long ago.
  const spender = await prisma.spender.findUnique({ where: { id }, select: { id: true } })
  if (spender !== null) return { id }
  const where = { chatId: id }
  const conversation = await prisma.conversation.findFirst({ where, select: { id: true } })
  return conversation === null ? 'unknown' : { id }
}
