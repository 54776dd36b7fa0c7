import type { Sql } from '../ledger/sql.ts'
import type { ProviderOperation } from '../providers/provider.ts'

/** A task that this process has leased: no other drives it until the lease ends. */
export interface LeasedTask {
  id: number
  endpoint: string
  params: unknown
  operation: ProviderOperation | null
  createdAt: Date
}

/** The statements that move a task. Each is written only by the lease's holder. */
export type Tasks = ReturnType<typeof createTasks>

/** @param leaseOwner This process (`src/database/instance.ts`). */
export function createTasks({ sql, leaseOwner }: { sql: Sql; leaseOwner: number }) {
  return { begin, storeOperation, replaceOperation, finish }

  /**
   * Begins to drive a leased task; a `waiting` one is `queuing` from here on.
   *
   * @returns undefined if the lease is lost.
   */
  async function begin(taskId: number): Promise<LeasedTask | undefined> {
    const { rows } = await sql.query<LeasedTask>(
      `UPDATE service.task SET status = greatest(status, 'queuing')
       WHERE id = $1 AND lease_owner = $2 AND ended_at IS NULL
       RETURNING id, endpoint, params, operation, created_at AS "createdAt"`,
      [taskId, leaseOwner],
    )
    return rows[0]
  }

  /**
   * Writes down what the provider has begun; the task is `generating` from here on.
   *
   * @returns Whether the lease was still ours.
   */
  async function storeOperation(taskId: number, operation: ProviderOperation): Promise<boolean> {
    const { rowCount } = await sql.query(
      `UPDATE service.task SET operation = $3, status = 'generating'
       WHERE id = $1 AND lease_owner = $2 AND status = 'queuing'`,
      [taskId, leaseOwner, JSON.stringify(operation)],
    )
    return rowCount === 1
  }

  /**
   * Writes down how far the provider's work has come.
   *
   * @returns Whether the lease was still ours.
   */
  async function replaceOperation(taskId: number, operation: ProviderOperation): Promise<boolean> {
    const { rowCount } = await sql.query(
      `UPDATE service.task SET operation = $3
       WHERE id = $1 AND lease_owner = $2 AND status = 'generating'`,
      [taskId, leaseOwner, JSON.stringify(operation)],
    )
    return rowCount === 1
  }

  /**
   * Ends a task as `success` with the names of its stored files, inside of the transaction `within`.
   *
   * @returns Whether this call ended the task.
   */
  async function finish(within: Sql, taskId: number, files: readonly string[]): Promise<boolean> {
    const { rowCount } = await within.query(
      `UPDATE service.task SET status = 'success', files = $3, ended_at = now(), due_at = NULL,
         lease_owner = NULL
       WHERE id = $1 AND lease_owner = $2 AND status = 'generating'`,
      [taskId, leaseOwner, files],
    )
    return rowCount === 1
  }
}
