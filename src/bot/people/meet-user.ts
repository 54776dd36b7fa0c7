import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Sender } from '../telegram/addressing/sender.ts'
import type { KnownUser } from './users.ts'

const SEEN_EVERY_MS = 60_000

/**
 * Reads the row of who sent an update: access and language may have changed since the last one. Writes it if the user is
 * new, has another name, or was last seen a minute ago.
 */
export async function meetUser(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { id, firstName, username, languageCode }: Sender,
): Promise<KnownUser> {
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
        -- Another update has just met them: the SELECT below does not see the row yet.
        OR NOT EXISTS (SELECT FROM bot."user" AS seen WHERE seen.id = excluded.id)
      RETURNING *
    ), known AS (
      SELECT * FROM met
      UNION ALL SELECT * FROM bot."user" WHERE id = ${id} AND NOT EXISTS (SELECT FROM met)
    )
    SELECT id, first_name AS "firstName", username, language_code AS "languageCode", language,
      admission, admission_at AS "admissionAt", role, open_card_id AS "openCardId" FROM known`
  if (user === undefined) throw new Error('Cannot meet user: neither new nor there')
  return user
}
