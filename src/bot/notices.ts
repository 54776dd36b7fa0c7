/**
 * Notices: messages that the page, or a service in the same process, wants people to see in Telegram.
 *
 * In: a notice, in any process. Out: the active process shows it within about a second. A notice is stored until it was
 * shown, and showing it is safe to repeat.
 */
import type { Logger } from 'pino'
import { Prisma, type PrismaClient } from '../platform/database/generated/client.ts'
import { isFreeSql } from '../platform/database/instance/instance.ts'
import { retryUntilStored } from '../platform/database/retry-until-stored.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Trouble } from './admin/alerts.ts'

const SHOWN_AT_ONCE_MAX = 20

/** A message that no update asked for: about a user's access or role, or to admins. */
export type Notice =
  | { kind: 'access' | 'role'; userId: number }
  | { kind: 'alert'; trouble: Trouble }

export function createNotices({
  prisma,
  leaseOwner,
  show,
  clock,
  log,
}: {
  prisma: Pick<PrismaClient, 'notice' | '$queryRaw'>
  leaseOwner: number
  show: (notice: Notice) => Promise<unknown>
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  return { add, showDue }

  async function add(notice: Notice): Promise<void> {
    await prisma.notice.create({ data: { payload: toJson(notice) } })
  }

  /** Begins to show the stored notices. */
  async function showDue(signal: AbortSignal): Promise<void> {
    const taken = await prisma.$queryRaw<{ id: bigint; payload: Prisma.JsonObject }[]>`
      UPDATE bot.notice SET lease_owner = ${leaseOwner} WHERE id IN (
        SELECT id FROM bot.notice WHERE ${Prisma.raw(isFreeSql('lease_owner'))}
        ORDER BY id LIMIT ${SHOWN_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED)
      RETURNING id, payload`
    for (const { id, payload } of taken) {
      showOne(id, readNotice(payload), signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, id: String(id) }, 'notice not shown')
      })
    }
  }

  async function showOne(id: bigint, notice: Notice, signal: AbortSignal): Promise<void> {
    try {
      await retryUntilStored(() => show(notice), { clock, signal })
    } finally {
      if (!signal.aborted) await prisma.notice.deleteMany({ where: { id } })
    }
  }
}

function toJson(notice: Notice): Prisma.InputJsonObject {
  const text = JSON.stringify(notice, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return JSON.parse(text) as Prisma.InputJsonObject
}

/** JSON has neither dates nor whole numbers of any size. */
function readNotice(json: Prisma.JsonObject): Notice {
  const notice = json as unknown as Notice
  if (notice.kind !== 'alert' || typeof notice.trouble === 'string') return notice
  const { trouble } = notice
  if ('workedAt' in trouble) {
    return { ...notice, trouble: { ...trouble, workedAt: new Date(trouble.workedAt) } }
  }
  if ('pricedModel' in trouble) {
    const chargedMicroRub = BigInt(trouble.chargedMicroRub)
    const reportedMicroRub = BigInt(trouble.reportedMicroRub)
    return { ...notice, trouble: { ...trouble, chargedMicroRub, reportedMicroRub } }
  }
  return notice
}
