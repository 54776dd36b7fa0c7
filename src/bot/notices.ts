/**
 * Notices: messages that the page, or a service in the same process, wants people to see in Telegram.
 *
 * In: a notice, in any process. Out: the active process shows it within about a second. A notice is stored until it was
 * shown, and showing it is safe to repeat.
 */
import type { Logger } from 'pino'
import type { Prisma, PrismaClient } from '../platform/database/generated/client.ts'
import { retryUntilStored } from '../platform/database/retry-until-stored.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Trouble } from './admin/alerts.ts'

const SHOWN_AT_ONCE_MAX = 20

export type Notice =
  | { kind: 'access' | 'role'; userId: number }
  | { kind: 'alert'; trouble: Trouble }

export function createNotices({
  prisma,
  show,
  clock,
  log,
}: {
  prisma: Pick<PrismaClient, 'notice'>
  show: (notice: Notice) => Promise<unknown>
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  return { add, showDue }

  async function add(notice: Notice): Promise<void> {
    const text = JSON.stringify(notice, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    await prisma.notice.create({ data: { payload: JSON.parse(text) } })
  }

  async function showDue(signal: AbortSignal): Promise<void> {
    const due = await prisma.notice.findMany({ orderBy: { id: 'asc' }, take: SHOWN_AT_ONCE_MAX })
    await Promise.all(due.map((notice) => showOne(notice, signal)))
  }

  async function showOne(
    { id, payload }: { id: bigint; payload: Prisma.JsonValue },
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await retryUntilStored(() => show(readNotice(payload)), { clock, signal })
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, id: String(id) }, 'notice not shown')
    }
    if (!signal.aborted) await prisma.notice.deleteMany({ where: { id } })
  }
}

/** JSON has no bigints: amounts are stored as strings. */
function readNotice(payload: Prisma.JsonValue): Notice {
  return JSON.parse(JSON.stringify(payload), (key, value) =>
    key.endsWith('MicroRub') ? BigInt(value) : value,
  )
}
