import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { settleWithin } from '../time/graceful-stop.ts'
import { CONNECTIONS_NEEDED, connectionOptions } from './database.ts'
import { DatabaseRefusedError } from './database-refused.ts'

/** The oldest one tried. The init migration has functions with SQL bodies, which came with 14. */
const VERSION_MIN = 15

/** A notification takes milliseconds where it arrives at all. */
const HEARD_MS_MAX = 5_000

/**
 * Checks that the server suits, before anything is read, written or locked there.
 *
 * @param client A connection to `url`.
 * @throws {DatabaseRefusedError} If the server is too old or read-only, allows too few connections, or is behind a pooler
 *   that gives connections away between statements: notifications and session locks would get lost.
 */
export async function checkServer(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ major: number; version: string; isStandby: boolean }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major,
       current_setting('server_version') AS version, pg_is_in_recovery() AS "isStandby"`,
  )
  const [server] = rows
  if (server === undefined || server.major < VERSION_MIN) {
    throw new DatabaseRefusedError(
      `PostgreSQL ${VERSION_MIN} or newer is needed, and the server is ${server?.version}`,
    )
  }
  if (server.isStandby) {
    throw new DatabaseRefusedError(
      'the server is a standby, which only lets read; DATABASE_URL should lead to the primary',
    )
  }
  await checkConnections(client)
  if (!(await keepsSession(client, url))) {
    throw new DatabaseRefusedError(
      'a pooler in transaction or statement mode is before it; connect directly, or through a pooler in session mode',
    )
  }
}

/** The limits of connections that count for this user: its role's and its database's not for a superuser. */
const LIMITS_SQL = `
  SELECT format('the role %I', rolname) AS whose, rolconnlimit AS connections,
    format('ALTER ROLE %I CONNECTION LIMIT', rolname) AS remedy
    FROM pg_roles WHERE rolname = current_user AND NOT rolsuper AND rolconnlimit >= 0
  UNION ALL
  SELECT format('the database %I', datname), datconnlimit,
    format('ALTER DATABASE %I CONNECTION LIMIT', datname)
    FROM pg_database, pg_roles
    WHERE datname = current_database() AND datconnlimit >= 0 AND rolname = current_user AND NOT rolsuper
  UNION ALL
  SELECT 'the server', current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int, 'max_connections ='
  ORDER BY connections LIMIT 1`

async function checkConnections(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ whose: string; connections: number; remedy: string }>(
    LIMITS_SQL,
  )
  const [least] = rows
  if (least === undefined || least.connections >= CONNECTIONS_NEEDED) return
  const { whose, connections, remedy } = least
  throw new DatabaseRefusedError(
    `a process needs ${CONNECTIONS_NEEDED} connections, and ${whose} may have ${connections}; raise it: ${remedy} ${CONNECTIONS_NEEDED} or more`,
  )
}

/** Checks whether the server's side of a connection stays the same. A pooler in session mode has a process id of its own. */
async function keepsSession(client: pg.Client, url: string): Promise<boolean> {
  const channel = `kopeck_${randomUUID().replaceAll('-', '')}`
  const heard = new Promise<void>((done) => {
    client.on('notification', (message) => {
      if (message.channel === channel) done()
    })
  })
  const other = new pg.Client(connectionOptions(url, 'check'))
  other.on('error', () => {})
  try {
    await client.query(`LISTEN ${channel}`)
    await other.connect()
    await other.query(`NOTIFY ${channel}`)
    return await settleWithin([heard], HEARD_MS_MAX)
  } finally {
    await client.query(`UNLISTEN ${channel}`)
    await other.end()
  }
}
