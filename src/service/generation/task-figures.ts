import { TASK_STATUSES, type TaskStatus } from '../../contract/tasks.ts'
import type { Sql } from '../ledger/sql.ts'

/** The number of tasks in a state, and the sum of their prices. */
export interface TaskFigures {
  tasks: number
  priceMicroRub: bigint
}

interface KeptRow {
  status: TaskStatus
  tasks: string
  price: string
  countedUntil: Date
}

/** The tasks that have ended since, or have not. `old` are those that the next reader need not count. */
interface CountedRow {
  status: TaskStatus
  tasks: string
  price: string
  oldTasks: string
  oldPrice: string
  oldUntil: Date | null
}

const READ_KEPT = `
  SELECT status, tasks, price_micro_rub AS price, counted_until AS "countedUntil" FROM service.ended_tasks`

/**
 * A task is dated when the transaction that ends it begins: five minutes later that is committed, or ended by the
 * server.
 */
const IS_OLD = `ended_at < now() - interval '5 minutes'`

const COUNT_SINCE = `
  SELECT status, count(*) AS tasks, sum(price_micro_rub) AS price, count(*) FILTER (WHERE ${IS_OLD}) AS "oldTasks",
    coalesce(sum(price_micro_rub) FILTER (WHERE ${IS_OLD}), 0) AS "oldPrice",
    max(ended_at) FILTER (WHERE ${IS_OLD}) AS "oldUntil"
  FROM service.task WHERE ended_at > $1 OR due_at IS NOT NULL GROUP BY status`

const KEEP_OLD = `
  UPDATE service.ended_tasks AS kept
  SET tasks = kept.tasks + coalesce(old.tasks, 0), price_micro_rub = kept.price_micro_rub + coalesce(old.price, 0),
    counted_until = $2
  FROM service.ended_tasks AS every LEFT JOIN
    unnest($3::service.task_status[], $4::bigint[], $5::bigint[]) AS old (status, tasks, price) USING (status)
  WHERE kept.status = every.status AND kept.counted_until = $1`

/**
 * Sums up the tasks of all processes by state. Tasks that ended long ago are counted once and kept as a sum: only those
 * under way or of the last minutes are read. The end of a task does not write that sum, so that no other waits for it.
 */
export async function readTaskFigures(sql: Sql): Promise<ReadonlyMap<TaskStatus, TaskFigures>> {
  const { rows: kept } = await sql.query<KeptRow>(READ_KEPT)
  const since = kept[0]?.countedUntil
  // Not by a name: PostgreSQL would plan it for any moment.
  const { rows: counted } = await sql.query<CountedRow>(COUNT_SINCE, [since])
  const old = counted.filter(({ oldUntil }) => oldUntil !== null)
  if (old.length > 0) {
    await sql.query(KEEP_OLD, [
      since,
      new Date(Math.max(...old.map(({ oldUntil }) => Number(oldUntil)))),
      old.map(({ status }) => status),
      old.map(({ oldTasks }) => oldTasks),
      old.map(({ oldPrice }) => oldPrice),
    ])
  }
  const figures = new Map<TaskStatus, TaskFigures>(
    TASK_STATUSES.map((status) => [status, { tasks: 0, priceMicroRub: 0n }]),
  )
  for (const { status, tasks, price } of [...kept, ...counted]) {
    const sum = figures.get(status) ?? { tasks: 0, priceMicroRub: 0n }
    figures.set(status, {
      tasks: sum.tasks + Number(tasks),
      priceMicroRub: sum.priceMicroRub + BigInt(price),
    })
  }
  return figures
}
