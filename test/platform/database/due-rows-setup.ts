import pg from 'pg'
import type { DueRowsWork, Visit } from '../../../src/platform/database/due-rows.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { openDueRows } from './open-due-rows.ts'
import { createTestDatabase } from './test-database.ts'

const TABLE = { name: 'public.parcel', key: 'id' }
/** A parcel with nothing left to do. */
export const ENDED = { isDue: false, failedVisits: 0, leaseOwner: null }

/** Counts from 1. */
export const range = (length: number) => Array.from({ length }, (_, index) => index + 1)

export type Parcels = Awaited<ReturnType<typeof openParcels>>

/** A database with a table of due rows, and processes that may work on them. */
export async function openParcels() {
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  await pool.query(`CREATE TABLE parcel (
    id bigint PRIMARY KEY, kind text, due_at timestamptz, failed_visits int NOT NULL DEFAULT 0,
    lease_owner int)`)
  const closers: (() => Promise<void>)[] = []
  return { url, pool, addProcess, insert, find, close }

  async function addProcess({ query }: { query?: pg.Pool['query'] } = {}) {
    const errors: unknown[] = []
    const instance = await registerInstance({ url, onError: () => {} })
    const dueRows = openDueRows({
      pool: query === undefined ? pool : { query },
      instance,
      notifications: instance.session,
      log: { error: (facts: object) => void errors.push(facts) },
    })
    closers.push(instance.release)
    return { instance, errors, work }

    function work(visit: Visit, options: Partial<DueRowsWork> = {}) {
      const worker = dueRows.work({ table: TABLE, concurrency: 200, visit, ...options })
      closers.push(() => worker.stop(0))
      return worker
    }
  }

  /** Inserts parcels as their owners do: due by the statement that writes them, which also notifies of it. */
  async function insert(ids: readonly number[], { inMs = 0, kind = '' } = {}): Promise<void> {
    await pool.query(
      `WITH parcel AS (
         INSERT INTO parcel (id, kind, due_at)
         SELECT id, $3, now() + $2 * interval '1 ms' FROM unnest($1::bigint[]) AS id RETURNING id)
       SELECT pg_notify('public.parcel', '') FROM parcel`,
      [ids, inMs, kind],
    )
  }

  async function find(id: number) {
    const { rows } = await pool.query(
      `SELECT due_at IS NOT NULL AS "isDue", failed_visits AS "failedVisits", lease_owner AS "leaseOwner",
         round(extract(epoch FROM due_at - now()))::int AS "dueInS"
       FROM parcel WHERE id = $1`,
      [id],
    )
    return rows[0]
  }

  async function close(): Promise<void> {
    for (const closer of closers.reverse()) await closer()
    await pool.end()
  }
}
