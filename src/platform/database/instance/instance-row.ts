/**
 * The row of a running process, and the leases that name it.
 *
 * Invariants:
 * - the id is given once, to one life of one process, and never again;
 * - a process lives as long as its row is there. The process itself removes it, or the next process of its name, or another
 *   process that has seen it silent (instance.ts): then only if it has not been renewed since;
 * - removing a row notifies every process in the same transaction;
 * - a leased row names its lease owner in `lease_owner`, and so does every statement that changes it. A lease holds as long
 *   as its owner lives; then any process may take it over.
 */
import type { Session } from './session.ts'

export const INSTANCE_CHANNEL = 'instance_ended'

export type Work = 'bot' | 'service'

export interface InstanceRow {
  id: number
  works: Work[]
  /** True for the active process of the bot (active-role.ts). */
  leads: boolean
  /** True for a process that was active, and finishes its work. */
  handsOver: boolean
  /** When it was last renewed, by the database's clock, to the microsecond. */
  beatAt: string
}

// It is committed as all else is. A crash of the server would lose no more than a second of it, but a primary that
// nobody follows any more, since the cluster failed over, must renew no lease: where standbys are synchronous it waits.
const BEAT = `
  WITH beat AS (
    UPDATE public.instance SET beat_at = clock_timestamp() WHERE id = $1
    RETURNING *
  )
  SELECT id, works, leads, hands_over AS "handsOver", beat_at::text AS "beatAt" FROM (
    SELECT * FROM beat UNION ALL SELECT * FROM public.instance WHERE id <> $1
  ) AS instance`

type Queries = Pick<Session, 'query'>

/** @param name Proves that an earlier process of this name has ended: its row is removed. */
export async function addInstanceRow(
  session: Queries,
  { name, works }: { name: string | undefined; works: readonly Work[] },
): Promise<number> {
  if (name !== undefined) await session.query(removeSql('name = $1'), [name])
  const [row] = await session.query<{ id: number }>(
    'INSERT INTO public.instance (name, works) VALUES ($1, $2) RETURNING id',
    [name, works],
  )
  if (row === undefined) throw new Error('Cannot register instance: no row came back')
  return row.id
}

/** Renews the row of a process. @returns All processes that live, without itself if it does not. */
export async function beat(session: Queries, id: number): Promise<InstanceRow[]> {
  return await session.query<InstanceRow>(BEAT, [id])
}

/** Ends a process in the eyes of the others, unless its row was renewed since it was read. */
export async function removeSilent(
  session: Queries,
  { id, beatAt }: Pick<InstanceRow, 'id' | 'beatAt'>,
): Promise<void> {
  await session.query(removeSql('id = $1 AND beat_at = $2::timestamptz'), [id, beatAt])
}

export async function removeInstanceRow(session: Queries, id: number): Promise<void> {
  await session.query(removeSql('id = $1'), [id])
}

function removeSql(condition: string): string {
  return `
    WITH removed AS (DELETE FROM public.instance WHERE ${condition} RETURNING id)
    SELECT pg_notify('${INSTANCE_CHANNEL}', '') FROM removed`
}

/** SQL that is true if the process with the id in `column` lives. The expression is not escaped. */
export function aliveSql(column: string): string {
  return `EXISTS (SELECT FROM public.instance WHERE instance.id = ${column})`
}

/** SQL that is true if a row has a lease owner that has ended: its lease may be taken over. */
export function isEndedSql(leaseOwner: string): string {
  return `(${leaseOwner} IS NOT NULL AND NOT ${aliveSql(leaseOwner)})`
}

/** SQL that is true if a row may be leased: it has no lease owner, or a lease owner that has ended. */
export function isFreeSql(leaseOwner: string): string {
  return `(${leaseOwner} IS NULL OR NOT ${aliveSql(leaseOwner)})`
}
