import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { RoleHolder, Roles } from '../people/access/roles.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'

const TOLD_AGAIN_MS = 3600_000

/** What tells alerts apart. */
interface AlertName {
  name: string
  /** When what it tells of went on last: it is told again only if that was after it had been told. Now by default. */
  causedAt?: Date | undefined
}

/** What admins are told unasked. */
export interface Alert extends AlertName {
  /** Says it in the language of an admin. */
  write(languageCode: string | undefined): string
}

export interface TellAdminsDeps {
  prisma: Pick<PrismaClient, '$executeRaw'>
  outbox: Pick<Outbox, 'send'>
  roles: Pick<Roles, 'admins'>
  log: Logger
  signal: AbortSignal
}

/** Tells every admin, of each alert at most once an hour over all processes. */
export function createTellAdmins(deps: TellAdminsDeps) {
  const { outbox, roles, log, signal } = deps
  return tellAdmins

  /** Resolves when the messages are on their way. */
  async function tellAdmins(alert: Alert): Promise<void> {
    const admins = await roles.admins()
    if (!(await claimAlert(alert, deps))) return
    for (const admin of admins) {
      tell(admin, alert).catch((reason: unknown) => {
        // An admin who never wrote to the bot cannot be reached by it.
        const facts = { adminId: admin.userId, alert: alert.name }
        log.warn({ ...errorFacts(reason), ...facts }, 'admin not told')
      })
    }
  }

  async function tell({ userId, languageCode }: RoleHolder, { write }: Alert): Promise<void> {
    await outbox.send({ chatId: userId, text: write(languageCode) }, { signal })
  }
}

export type TellAdmins = ReturnType<typeof createTellAdmins>

/**
 * Takes it upon this process to tell admins of something. Of each alert one process tells in an hour,
 * whichever hear of it and however often they begin anew: who writes the row tells.
 */
export async function claimAlert(
  { name, causedAt }: AlertName,
  { prisma }: { prisma: Pick<PrismaClient, '$executeRaw'> },
): Promise<boolean> {
  const written = await prisma.$executeRaw`
    INSERT INTO bot.alert AS last (name, told_at)
    VALUES (${name}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET told_at = excluded.told_at
    WHERE last.told_at <= excluded.told_at - ${TOLD_AGAIN_MS}::int * interval '1 ms'
      AND last.told_at < coalesce(${causedAt ?? null}::timestamptz, excluded.told_at)`
  return written === 1
}
