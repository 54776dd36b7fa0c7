import type { InlineKeyboardButton } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { RoleHolder, Roles } from '../people/roles.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/send.ts'

const REPEAT_MS = 3600_000
/** After so long an alert is repeated whose cause was mended in between, and came anew. */
const RELAPSE_MS = 5 * 60_000

interface AlertName {
  name: string
  /** When its cause went on last: it is repeated only if that was after the alert before. Default: now. */
  causedAt?: Date | undefined
  /** When its cause was seen to be gone last. Where that was after the alert before, it is news within the hour, too. */
  workedAt?: Date | undefined
}

/** A message to admins that none of them asked for. */
export interface Alert extends AlertName {
  write(languageCode: string | undefined): string
  buttons?(languageCode: string | undefined): InlineKeyboardButton[][]
}

export interface NotifyAdminsDeps {
  prisma: Pick<PrismaClient, '$executeRaw'>
  outbox: Pick<Outbox, 'send'>
  roles: Pick<Roles, 'admins'>
  log: Logger
  signal: AbortSignal
}

/** Notifies every admin, of each alert at most once an hour over all processes, unless its cause came anew. */
export function createNotifyAdmins(deps: NotifyAdminsDeps) {
  const { outbox, roles, log, signal } = deps
  return notifyAdmins

  async function notifyAdmins(alert: Alert): Promise<void> {
    const admins = await roles.admins()
    // The first admin comes a while after the first start, and is to hear of what is wrong then.
    if (admins.length === 0) return
    if (!(await claimAlert(alert, deps))) return
    notifyAll(admins, alert).catch((error: unknown) => {
      log.warn(
        { ...errorFacts(error), alert: alert.name },
        'alert that reached nobody not given back',
      )
    })
  }

  async function notifyAll(admins: readonly RoleHolder[], alert: Alert): Promise<void> {
    const reached = await Promise.all(admins.map((admin) => notify(admin, alert)))
    if (!reached.includes(true)) await giveBackAlert(alert, deps)
  }

  async function notify({ userId, languageCode }: RoleHolder, alert: Alert): Promise<boolean> {
    try {
      const keyboard = alert.buttons && { inline_keyboard: alert.buttons(languageCode) }
      const text = alert.write(languageCode)
      await outbox.send({ chatId: userId, text, ...(keyboard && { keyboard }) }, { signal })
      return true
    } catch (error) {
      log.warn({ ...errorFacts(error), adminId: userId, alert: alert.name }, 'admin not notified')
      return false
    }
  }
}

export type NotifyAdmins = ReturnType<typeof createNotifyAdmins>

/**
 * Claims an alert for this process: the one that writes its row sends it. Of each alert that is one process in an
 * hour, however many hear of it and however often they start; or in five minutes, where its cause had gone meanwhile.
 */
export async function claimAlert(
  { name, causedAt, workedAt }: AlertName,
  { prisma }: { prisma: Pick<PrismaClient, '$executeRaw'> },
): Promise<boolean> {
  const written = await prisma.$executeRaw`
    INSERT INTO bot.alert AS last (name, told_at)
    VALUES (${name}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET told_at = excluded.told_at
    WHERE (
      last.told_at <= excluded.told_at - ${REPEAT_MS}::int * interval '1 ms'
      OR (
        last.told_at < ${workedAt ?? null}::timestamptz
        AND last.told_at <= excluded.told_at - ${RELAPSE_MS}::int * interval '1 ms'
      )
    )
      AND last.told_at < coalesce(${causedAt ?? null}::timestamptz, excluded.told_at)`
  return written === 1
}

async function giveBackAlert(
  { name }: AlertName,
  { prisma }: { prisma: Pick<PrismaClient, '$executeRaw'> },
): Promise<void> {
  await prisma.$executeRaw`DELETE FROM bot.alert WHERE name = ${name}`
}
