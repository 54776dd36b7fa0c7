import { setTimeout as delay } from 'node:timers/promises'
import { TASK_STATUSES, type TaskStatus } from '../../contract/task.ts'
import type { Sql } from '../ledger/sql.ts'

/** How many tasks are in a state, and what they cost together. */
export interface TaskFigures {
  tasks: number
  priceMicroRub: bigint
}

/** @throws If the database does not say. */
export type ReadTaskFigures = () => Promise<ReadonlyMap<TaskStatus, TaskFigures>>

/** However many ask, the table is read once in so long. */
const READ_INTERVAL_MS = 10_000
const READ_MS_MAX = 2000

/** Sums up the tasks of all processes by state; the figures are at most 10 s old. */
export function createTaskFigures({ sql }: { sql: Sql }): ReadTaskFigures {
  let reading: { startedMs: number; figures: ReturnType<ReadTaskFigures> } | undefined
  return async () => {
    if (reading === undefined || performance.now() - reading.startedMs >= READ_INTERVAL_MS) {
      reading = { startedMs: performance.now(), figures: read() }
    }
    return await Promise.race([reading.figures, giveUp()])
  }

  async function read(): Promise<ReadonlyMap<TaskStatus, TaskFigures>> {
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
}

/** A database that is away would hold up every other figure. */
async function giveUp(): Promise<never> {
  await delay(READ_MS_MAX, undefined, { ref: false })
  throw new Error('Cannot read figures of tasks: the database does not answer')
}
