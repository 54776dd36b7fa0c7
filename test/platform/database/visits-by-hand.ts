import type { Pool } from 'pg'
import {
  type DueRows,
  type DueRowsWork,
  endLease,
  type TakenRow,
  takeRows,
} from '../../../src/platform/database/due-rows.ts'
import { stopGracefully } from '../../../src/platform/time/graceful-stop.ts'

const RETRY_MS = 1_000

interface Work extends DueRowsWork {
  stopping: AbortController
  visits: Map<string, Promise<number | undefined>>
}

/** Due rows of one process, visited when the test says so and not by themselves. */
export function createVisitsByHand({ pool, leaseOwner }: { pool: Pool; leaseOwner: number }) {
  const works = new Map<string, Work>()
  /** The last look: the next begins after it and knows of its row, as in a process. */
  let looking: Promise<unknown> = Promise.resolve()
  const dueRows: DueRows = {
    work(given) {
      const stopping = new AbortController()
      const work = { ...given, stopping, visits: new Map() }
      works.set(given.table.name, work)
      return {
        stop: (timeoutMs) => stopGracefully(work.visits.values(), { timeoutMs, stopping }),
      }
    },
  }
  return { dueRows, visit, visitAll }

  async function visit(table: string, id: number): Promise<number | undefined> {
    const work = workOn(table)
    const look = looking.then(async () => {
      const [first] = await take(work, `${work.table.key} = ${id}`)
      return { visiting: first === undefined ? undefined : visitLeased(work, first) }
    })
    looking = look.catch(() => {})
    return await (await look).visiting
  }

  async function visitAll(table: string): Promise<number[]> {
    const work = workOn(table)
    const taken = await take(work, 'true')
    for (const row of taken) await visitLeased(work, row)
    return taken.map(({ id }) => Number(id))
  }

  async function take({ table, visits }: Work, which: string): Promise<TakenRow[]> {
    const where = `(${table.where ?? 'true'}) AND ${which}`
    await pool.query(`UPDATE ${table.name} SET due_at = now() WHERE due_at > now() AND ${where}`)
    return await takeRows(pool, { ...table, where }, leaseOwner, [...visits.keys()], 500)
  }

  function visitLeased(work: Work, row: TakenRow): Promise<number | undefined> {
    const visiting = visitAndEndLease(work, row).finally(() => work.visits.delete(row.id))
    work.visits.set(row.id, visiting)
    return visiting
  }

  async function visitAndEndLease({ table, visit, stopping }: Work, row: TakenRow) {
    try {
      const due = await visit(row, stopping.signal)
      const end = typeof due === 'object' ? due : { dueInMs: due, failedVisits: 0 }
      await endLease(pool, table, leaseOwner, row, end)
      return end.dueInMs
    } catch {
      const failed = stopping.signal.aborted ? 0 : 1
      const dueInMs = failed * RETRY_MS
      const failedVisits = row.failedVisits + failed
      await endLease(pool, table, leaseOwner, row, { dueInMs, failedVisits })
      return dueInMs
    }
  }

  function workOn(table: string): Work {
    const work = works.get(table)
    if (work === undefined) throw new Error(`Nobody works on ${table}`)
    return work
  }
}
