import { aliveSql } from '../../database/instance.ts'
import type { Sql } from '../ledger/sql.ts'
import type { ProviderOperation } from '../providers/provider.ts'

/** A task as the worker holds it: nobody else drives it until the lease ends. */
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
  return { lease, release, storeOperation, replaceOperation, finish, findLeaseless }

  /**
   * Takes the right to drive a task; a `waiting` one is `queuing` from here on.
   *
   * @returns undefined if the task has ended, is not there, or a living process drives it.
   */
  async function lease(taskId: number): Promise<LeasedTask | undefined> {
    const { rows } = await sql.query<LeasedTask>(
      `UPDATE service.task
       SET lease_owner = $2, status = greatest(status, 'queuing')
       WHERE id = $1 AND status NOT IN ('success', 'fail')
         AND (lease_owner IS NULL OR lease_owner = $2 OR NOT ${aliveSql('lease_owner')})
       RETURNING id, endpoint, params, operation, created_at AS "createdAt"`,
      [taskId, leaseOwner],
    )
    return rows[0]
  }

  /** Gives the lease back between two looks, so that any process may take the next. */
  async function release(taskId: number): Promise<void> {
    await sql.query(
      'UPDATE service.task SET lease_owner = NULL WHERE id = $1 AND lease_owner = $2',
      [taskId, leaseOwner],
    )
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
      `UPDATE service.task SET status = 'success', files = $3, ended_at = now(), lease_owner = NULL
       WHERE id = $1 AND lease_owner = $2 AND status = 'generating'`,
      [taskId, leaseOwner, files],
    )
    return rowCount === 1
  }

  /** @returns Ids, ascending, of tasks after `afterId` that have not ended and that nobody drives. */
  async function findLeaseless({
    afterId,
    limit,
  }: {
    afterId: number
    limit: number
  }): Promise<number[]> {
    const { rows } = await sql.query<{ id: number }>(
      `SELECT id FROM service.task
       WHERE id > $1 AND status IN ('waiting', 'queuing', 'generating')
         AND (lease_owner IS NULL OR NOT ${aliveSql('lease_owner')})
       ORDER BY id LIMIT $2`,
      [afterId, limit],
    )
    return rows.map((row) => row.id)
  }
}
