import type pg from 'pg'
import type { Callbacks } from '../callback/callbacks.ts'
import type { TaskEnding } from '../callback/notification.ts'
import { inTransaction, type Sql } from '../ledger/sql.ts'
import { failTask } from '../ledger/task-charge.ts'
import { toFileUrl } from '../storage/storage.ts'
import type { LeasedTask, Tasks } from './tasks.ts'

export interface TaskEndsDeps {
  pool: pg.Pool
  tasks: Pick<Tasks, 'finish'>
  leaseOwner: number
  callbacks: Pick<Callbacks, 'keep'>
  publicRoot: () => string
}

/** The two ways a task ends. Each returns whether this call was the one that ended it. */
export type TaskEnds = ReturnType<typeof createTaskEnds>

/** Invariant: a task ends in the transaction that keeps its callback, so neither is there alone. */
export function createTaskEnds({ pool, tasks, leaseOwner, callbacks, publicRoot }: TaskEndsDeps) {
  return { succeed, fail }

  async function succeed(task: LeasedTask, files: readonly string[]): Promise<boolean> {
    const resultUrls = files.map((name) => toFileUrl(publicRoot(), name))
    return await end(task, { status: 'success', resultUrls }, (sql) =>
      tasks.finish(sql, task.id, files),
    )
  }

  /** Gives the price back, too. */
  async function fail(
    task: LeasedTask,
    { code, message }: { code: number; message: string },
  ): Promise<boolean> {
    return await end(task, { status: 'fail', code, message }, (sql) =>
      failTask(sql, { taskId: task.id, leaseOwner, code, message }),
    )
  }

  async function end(
    { id: taskId, endpoint }: LeasedTask,
    outcome: TaskEnding['outcome'],
    write: (sql: Sql) => Promise<boolean>,
  ): Promise<boolean> {
    return await inTransaction(pool, async (sql) => {
      if (!(await write(sql))) return false
      await callbacks.keep(sql, { taskId, endpoint, outcome })
      return true
    })
  }
}
