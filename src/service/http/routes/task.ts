import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { Task } from '../../../contract/tasks.ts'
import { pollTask } from '../../generation/poll-task.ts'
import type { Sql } from '../../ledger/sql.ts'
import { toFileUrl } from '../../storage/storage.ts'
import { describeAnswers } from '../answers.ts'
import { Refusal } from '../refusals.ts'

export interface TaskRouteDeps {
  sql: Sql
  /** Returns the root at which the outside world reaches this process; without `/files`. */
  publicRoot: () => string
}

const TASK_ID_MAX = 2 ** 31 - 1

const NO_TASK = 'There is no such task.'

const SCHEMA = {
  operationId: 'getTask',
  tags: ['generation'],
  summary: 'See how a task stands',
  description: 'At most once in 3 seconds for a task. A task that succeeded or failed stays so.',
  params: Type.Object({
    task_id: Type.Integer({
      minimum: 1,
      description: 'What the creation answered.',
      examples: [42],
    }),
  }),
  response: describeAnswers(Task, {
    refusals: [429],
    others: { 404: { description: 'No such task belongs to the account.', detail: NO_TASK } },
  }),
}

/**
 * `GET /task/:task_id`: how one of the account's own tasks stands, once in 3 s; more often is 429. Any
 * other id is 404, as often as one likes.
 */
export function taskRoute({ sql, publicRoot }: TaskRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { task_id: string } }>(
      '/task/:task_id',
      // Any id may be asked for: one that is no number is 404 like any other that is not there.
      { schema: SCHEMA, validatorCompiler: () => () => true },
      async (request): Promise<Task> => {
        const task = await findTask(request.params.task_id, request.account.id)
        if (task === undefined) throw new Refusal(404, NO_TASK)
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
