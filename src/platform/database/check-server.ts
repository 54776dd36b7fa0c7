import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { settleWithin } from '../time/graceful-stop.ts'
import { CONNECTIONS_NEEDED, connectionOptions } from './database.ts'
import { DatabaseRefusedError } from './database-refused.ts'

/** The oldest one tried. The init migration has functions with SQL bodies, which came with 14. */
const VERSION_MIN = 15
const HEARD_MS_MAX = 5_000

const SERVER_SQL = `
  SELECT current_setting('server_version_num')::int / 10000 AS major,
    current_setting('server_version') AS version, pg_is_in_recovery() AS "isStandby"`

interface Server {
  major: number
  version: string
  isStandby: boolean
}

/**
 * Checks that the server suits, before anything is read, written or locked there.
 * A pooler that gives connections away between statements would lose notifications and locks.
 */
export async function checkServer(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<Server>(SERVER_SQL)
  const problem =
    findProblem(rows[0]) ?? (await findTightLimit(client)) ?? (await findPooler(client, url))
  if (problem !== undefined) throw new DatabaseRefusedError(problem)
}

function findProblem(server: Server | undefined): string | undefined {
  const { major = 0, version = 'none', isStandby = false } = server ?? {}
  if (major < VERSION_MIN)
    return `PostgreSQL ${VERSION_MIN} or newer is needed, and the server is ${version}`
  if (!isStandby) return undefined
  return 'the server is a standby, which only lets read; DATABASE_URL should lead to the primary'
}

/** The limits of connections that count for this user; none counts for a superuser. */
const LIMITS_SQL = `
  SELECT format('ROLE %I', rolname) AS whose, rolconnlimit AS connections
    FROM pg_roles WHERE rolname = current_user AND NOT rolsuper AND rolconnlimit >= 0
  UNION ALL
  SELECT format('DATABASE %I', datname), datconnlimit FROM pg_database, pg_roles
    WHERE datname = current_database() AND datconnlimit >= 0 AND rolname = current_user AND NOT rolsuper
  ORDER BY connections LIMIT 1`

async function findTightLimit(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ whose: string; connections: number }>(LIMITS_SQL)
  const [{ whose, connections } = { whose: '', connections: CONNECTIONS_NEEDED }] = rows
  if (connections >= CONNECTIONS_NEEDED) return undefined
  return `a process needs ${CONNECTIONS_NEEDED} connections and may have ${connections}: ALTER ${whose} CONNECTION LIMIT ${CONNECTIONS_NEEDED}`
}

async function findPooler(client: pg.Client, url: string): Promise<string | undefined> {
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
    if (await settleWithin([heard], HEARD_MS_MAX)) return undefined
    return 'a pooler in transaction or statement mode is before it; connect directly, or through a pooler in session mode'
  } finally {
    await client.query(`UNLISTEN ${channel}`)
    await other.end()
  }
}
