import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Notifications } from '../../platform/database/instance/notifications.ts'
import { createRememberedRows } from '../../platform/database/remembered-rows.ts'
import type { Sender } from '../telegram/addressing/sender.ts'
import type { KnownUser } from './users.ts'

const SEEN_EVERY_MS = 60_000
/** A row is well below 1 KiB. */
const USERS_MAX = 10_000

interface Met {
  user: KnownUser
  seenAt: number
}

export interface MeetUserDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>
  notifications: Pick<Notifications, 'listen'>
}

/**
 * Meets the senders of updates. Those who wrote before are remembered: access and language are asked for
 * with every update.
 */
export function createMeetUser({ prisma, notifications }: MeetUserDeps) {
  const remembered = createRememberedRows<Met>(
    { notifications, channel: 'bot.user' },
    { rowsMax: USERS_MAX },
  )
  return { meet, see, forget: (userId: number) => remembered.forget(String(userId)) }

  async function meet(sender: Sender): Promise<KnownUser> {
    const { user } = await read(sender)
    return isAsStored(sender, user) ? user : (await store(sender)).user
  }

  /**
   * Writes that a user is there, once a minute: after their update was handled, since nothing waits for it.
   * Where that update had everything erased, nothing is written.
   */
  async function see({ id }: Sender): Promise<void> {
    const met = remembered.kept(String(id))
    if (met === undefined || performance.now() - met.seenAt < SEEN_EVERY_MS) return
    met.seenAt = performance.now()
    await prisma.$executeRaw`
      UPDATE bot."user" SET seen_at = now() WHERE id = ${id} AND seen_at IS NOT NULL`
  }

  function read(sender: Sender): Promise<Met> {
    return remembered.read(String(sender.id), () => store(sender))
  }

  async function store({ id, firstName, username, languageCode }: Sender): Promise<Met> {
    const seenAt = performance.now()
    const [user] = await prisma.$queryRaw<KnownUser[]>`
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
          -- Another process has just met them: what is below does not see the row yet.
          OR NOT EXISTS (SELECT FROM bot."user" AS seen WHERE seen.id = excluded.id)
        RETURNING *
      ), known AS (
        SELECT * FROM met
        UNION ALL SELECT * FROM bot."user" WHERE id = ${id} AND NOT EXISTS (SELECT FROM met)
      )
      SELECT id, first_name AS "firstName", username, language_code AS "languageCode", language,
        admission, admission_at AS "admissionAt", role, open_card_id AS "openCardId" FROM known`
    if (user === undefined) throw new Error('Cannot meet user: neither new nor there')
    return { user, seenAt }
  }
}

export type MeetUser = ReturnType<typeof createMeetUser>

function isAsStored({ firstName, username, languageCode }: Sender, user: KnownUser): boolean {
  return (
    user.firstName === firstName &&
    user.username === (username ?? null) &&
    (languageCode === undefined || user.languageCode === languageCode)
  )
}
