import type { FastifyPluginAsync } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { Task } from '../../../contract/task.ts'
import { pollTask } from '../../generation/poll-task.ts'
import type { Sql } from '../../ledger/sql.ts'
import { toFileUrl } from '../../storage/storage.ts'
import { Refusal } from '../errors.ts'

export interface TaskRouteDeps {
  sql: Sql
  /** Where the outside world reaches this process; without `/files`. */
  publicRoot: () => string
}

const TASK_ID_MAX = 2 ** 31 - 1

/**
 * `GET /task/:task_id`: how one of the account's own tasks stands, once in 3 s; more often is 429. Any
 * other id is 404, as often as one likes.
 */
export function taskRoute({ sql, publicRoot }: TaskRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { task_id: string } }>(
      '/task/:task_id',
      { schema: { response: { 200: Task, 404: ErrorBody } } },
      async (request): Promise<Task> => {
        const task = await findTask(request.params.task_id, request.account.id)
        if (task === undefined) throw new Refusal(404, 'There is no such task.')
        const { status, files, errorCode, errorMessage } = task
        return {
          status,
          result_urls:
            status === 'success' ? files.map((name) => toFileUrl(publicRoot(), name)) : null,
          error: status === 'fail' ? { code: errorCode ?? 500, message: errorMessage ?? '' } : null,
        }
      },
    )
  }

  async function findTask(text: string, accountId: number) {
    const id = /^\d{1,10}$/.test(text) ? Number(text) : undefined
    if (id === undefined || id > TASK_ID_MAX) return undefined
    return await pollTask(sql, { taskId: id, accountId })
  }
}
