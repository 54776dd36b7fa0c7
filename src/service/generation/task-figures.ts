import { TASK_STATUSES, type TaskStatus } from '../../contract/task.ts'
import type { Sql } from '../ledger/sql.ts'

/** How many tasks are in a state, and what they cost together. */
export interface TaskFigures {
  tasks: number
  priceMicroRub: bigint
}

/** Sums up the tasks of all processes by state. */
export async function readTaskFigures(sql: Sql): Promise<ReadonlyMap<TaskStatus, TaskFigures>> {
  const { rows } = await sql.query<{ status: TaskStatus; tasks: number; price: string }>({
    name: 'task-figures',
    text: `SELECT status, count(*)::int AS tasks, sum(price_micro_rub)::bigint AS price
           FROM service.task GROUP BY status`,
  })
  const figures = new Map<TaskStatus, TaskFigures>(
    TASK_STATUSES.map((status) => [status, { tasks: 0, priceMicroRub: 0n }]),
  )
  for (const { status, tasks, price } of rows) {
    figures.set(status, { tasks, priceMicroRub: BigInt(price) })
  }
  return figures
}
