/**
 * The tokens of the page: sessions of its visitors, and tickets, each of which allows one thing once.
 *
 * The only clock is the database's. The database has the hash of each token: reading it opens nothing.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { TicketPurpose } from '../../../platform/database/generated/enums.ts'
import { readTime } from '../../../platform/database/prisma.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const IDLE_MS = 2 * HOUR_MS
const SESSION_MS = 12 * HOUR_MS
/** A newer session replaces the session that was not used for longest. */
const SESSIONS_MAX = 20
const GOOD_FOR_MS = { sign_in: 5 * MINUTE_MS, download: MINUTE_MS }
/** The page can say for so long why a ticket is refused. */
const KNOWN_FOR_MS = 24 * HOUR_MS

type Tokens = Pick<PrismaClient, 'dashboardSession' | 'dashboardTicket' | '$queryRaw'>

export interface Ticket {
  userId: number
  request: unknown
}

/** The reason for which a ticket is refused. */
export type TicketRefusal = 'used' | 'expired' | 'unknown'

/** Begins a session. @returns Its token, which is stored nowhere. */
export async function beginSession(prisma: Tokens, userId: number): Promise<string> {
  const [token, now] = [makeToken(), await readTime(prisma)]
  const session = { tokenHash: hashOf(token), userId, beganAt: now, usedAt: now }
  await prisma.dashboardSession.create({ data: session })
  const replaced = await prisma.dashboardSession.findMany({
    where: { userId },
    orderBy: { usedAt: 'desc' },
    skip: SESSIONS_MAX,
  })
  const hashes = replaced.map(({ tokenHash }) => tokenHash)
  await prisma.dashboardSession.deleteMany({ where: { tokenHash: { in: hashes } } })
  return token
}

/**
 * Returns the user of an open session; undefined if it has ended.
 *
 * @param isUse Whether the session stays open for longer by it.
 */
export async function findSession(
  prisma: Tokens,
  token: string,
  { isUse }: { isUse: boolean },
): Promise<number | undefined> {
  const now = await readTime(prisma)
  const where = {
    tokenHash: hashOf(token),
    usedAt: { gt: before(now, IDLE_MS) },
    beganAt: { gt: before(now, SESSION_MS) },
  }
  const [session] = isUse
    ? await prisma.dashboardSession.updateManyAndReturn({ where, data: { usedAt: now } })
    : await prisma.dashboardSession.findMany({ where })
  return session && Number(session.userId)
}

export async function endSession(prisma: Tokens, token: string): Promise<void> {
  await prisma.dashboardSession.deleteMany({ where: { tokenHash: hashOf(token) } })
}

/** Makes a ticket, by which a user signs in or fetches a file. @returns Its token, which is stored nowhere. */
export async function makeTicket(
  prisma: Tokens,
  purpose: TicketPurpose,
  { userId, request }: { userId: number; request?: Readonly<Record<string, string>> },
): Promise<string> {
  const [token, now] = [makeToken(), await readTime(prisma)]
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS[purpose])
  const ticket = { tokenHash: hashOf(token), userId, purpose, expiresAt }
  await prisma.dashboardTicket.create({ data: { ...ticket, ...(request && { request }) } })
  return token
}

/** Uses a ticket up. Of several who bring it at once one gets it. */
export async function takeTicket(
  prisma: Tokens,
  purpose: TicketPurpose,
  token: string,
): Promise<Ticket | TicketRefusal> {
  const now = await readTime(prisma)
  const where = { tokenHash: hashOf(token), purpose }
  const [ticket] = await prisma.dashboardTicket.updateManyAndReturn({
    where: { ...where, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  if (ticket !== undefined) return { userId: Number(ticket.userId), request: ticket.request }
  const known = await prisma.dashboardTicket.findFirst({ where })
  if (known === null) return 'unknown'
  return known.usedAt === null ? 'expired' : 'used'
}

/** @returns True for the first who brings this data of Telegram, which stays known for longer than it is good. */
export async function takeInitData(
  prisma: Tokens,
  { userId, hash }: { userId: number; hash: string },
): Promise<boolean> {
  const now = await readTime(prisma)
  const purpose: TicketPurpose = 'sign_in'
  const ticket = { tokenHash: hashOf(hash), userId, purpose, expiresAt: now, usedAt: now }
  const { count } = await prisma.dashboardTicket.createMany({
    data: [ticket],
    skipDuplicates: true,
  })
  return count === 1
}

/** Deletes sessions that have ended, and tickets of which nothing is reported any more. */
export async function purgeTokens(prisma: Tokens): Promise<void> {
  const now = await readTime(prisma)
  await prisma.dashboardSession.deleteMany({
    where: {
      OR: [
        { usedAt: { lte: before(now, IDLE_MS) } },
        { beganAt: { lte: before(now, SESSION_MS) } },
      ],
    },
  })
  await prisma.dashboardTicket.deleteMany({
    where: { expiresAt: { lt: before(now, KNOWN_FOR_MS) } },
  })
}

function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

function hashOf(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest())
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}
