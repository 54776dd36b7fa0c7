import { createHash } from 'node:crypto'
import type pg from 'pg'

/** The first migration: all that 89 earlier ones made, in one. */
const INIT = '20261124000000_init'

/** SHA-256 of the names and checksums of those 89, a line each, in order: a database that has just these has all of INIT. */
const EARLIER = '494c584e7a2740e4d4e6c6c418b7c9dd96f8dc46733767014a7123c888401d81'

/**
 * Takes over a database that the version before INIT made: it has the schema already, so INIT counts as applied
 * instead of the migrations it is made of. Its tables stay as they are. Another database is left alone.
 *
 * Under the migration lock, in one transaction; a second call finds nothing to do.
 *
 * @param applied The checksum of each migration that the database has, by name.
 * @param given The checksum of each migration of this version, by name.
 * @returns What the database has after that.
 */
export async function takeOver(
  client: pg.Client,
  applied: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const checksum = given.get(INIT)
  const lines = Array.from(applied, (row) => row.join(' ')).sort()
  const digest = createHash('sha256').update(lines.join('\n')).digest('hex')
  if (checksum === undefined || digest !== EARLIER) return applied
  await client.query(
    `WITH earlier AS (DELETE FROM public._prisma_migrations)
     INSERT INTO public._prisma_migrations
       (id, migration_name, checksum, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, clock_timestamp(), 1)`,
    [INIT, checksum],
  )
  return new Map([[INIT, checksum]])
}
