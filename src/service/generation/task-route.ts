import type { FastifyPluginAsync } from 'fastify'
import { ErrorBody } from '../../contract/errors.ts'
import { Task } from '../../contract/task.ts'
import type { Database } from '../../database/database.ts'
import { Refusal } from '../http/errors.ts'
import { toFileUrl } from './files.ts'

export interface TaskRouteDeps {
  prisma: Pick<Database['prisma'], 'task'>
  /** Where the outside world reaches this process; without `/files`. */
  publicRoot: () => string
}

const TASK_ID_MAX = 2 ** 31 - 1

/** `GET /task/:task_id`: how one of the account's own tasks stands. Any other id is 404. */
export function createGetTaskRoute({ prisma, publicRoot }: TaskRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { task_id: string } }>(
      '/task/:task_id',
      { schema: { response: { 200: Task, 404: ErrorBody } } },
      async (request): Promise<Task> => {
        const task = await findTask(request.params.task_id, request.account.id)
        if (task === null) throw new Refusal(404, 'There is no such task.')
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
    if (id === undefined || id > TASK_ID_MAX) return null
    return await prisma.task.findFirst({
      where: { id, accountId },
      select: { status: true, files: true, errorCode: true, errorMessage: true },
    })
  }
}
