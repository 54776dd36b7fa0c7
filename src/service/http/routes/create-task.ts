import type { FastifyBaseLogger, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ErrorBody, FieldErrorBody } from '../../../contract/errors.ts'
import { TaskCreated } from '../../../contract/task.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Callbacks } from '../../callback/callbacks.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import type { Sql } from '../../ledger/sql.ts'
import { chargeTask } from '../../ledger/task-charge.ts'
import { Refusal } from '../errors.ts'
import { creationLimit } from '../rate-limit.ts'

export interface CreateTaskRouteDeps {
  sql: Sql
  jobs: Pick<Jobs, 'send'>
  callbacks: Pick<Callbacks, 'findProblem'>
  log: Pick<FastifyBaseLogger, 'error'>
}

type Priced = Exclude<ReturnType<Endpoint['read']>, unknown[]>

const IDEMPOTENCY_KEY_CHARS_MAX = 255

/**
 * `POST /<endpoint>`: checks the body, charges the task's price and has it worked on.
 *
 * The body is refused in Fastify's validation, so a 422 comes before the statement that says 429 or 402.
 * With an `Idempotency-Key` header a repeat answers with the first task and counts towards nothing.
 */
export function createTaskRoute(
  endpoint: Endpoint,
  { sql, jobs, callbacks, log }: CreateTaskRouteDeps,
): FastifyPluginAsync {
  const limit = creationLimit(endpoint.path)
  return async (app) => {
    app.post<{ Body: Priced }>(
      `/${endpoint.path}`,
      {
        schema: {
          body: endpoint.schema,
          response: { 200: TaskCreated, 402: ErrorBody, 422: FieldErrorBody },
        },
        validatorCompiler: () => readBody,
        preValidation: async (request) => {
          readIdempotencyKey(request)
          await checkCallbackUrl(request)
        },
      },
      async (request) => {
        const { taskId, isNew } = await chargeTask(sql, {
          accountId: request.account.id,
          endpoint: endpoint.path,
          limit,
          idempotencyKey: readIdempotencyKey(request),
          callbackUrl: endpoint.deliversCallbacks ? readCallbackUrl(request) : undefined,
          ...request.body,
        })
        if (isNew) await sendToWork(taskId)
        return { task_id: taskId }
      },
    )
  }

  function readBody(body: unknown) {
    const read = endpoint.read(body)
    return Array.isArray(read) ? { error: new Refusal(422, read) } : { value: read }
  }

  /** @throws {Refusal} 422, also where no callback will be delivered. */
  async function checkCallbackUrl(request: FastifyRequest): Promise<void> {
    const url = readCallbackUrl(request)
    const msg = url === undefined ? undefined : await callbacks.findProblem(url)
    if (msg !== undefined) throw new Refusal(422, [{ loc: ['header', 'X-Callback-Url'], msg }])
  }

  /** The task is there and paid for: if nobody can be told now, the sweeper tells soon. */
  async function sendToWork(taskId: number): Promise<void> {
    try {
      await jobs.send('generation', String(taskId))
    } catch (error) {
      log.error({ err: error, taskId }, 'new task not sent to work, left to the sweeper')
    }
  }
}

/** A header that came twice is one text with a comma, which is no URL. */
function readCallbackUrl(request: FastifyRequest): string | undefined {
  return request.headers['x-callback-url']?.toString()
}

/** @throws {Refusal} 422, if there is a key that is empty or too long to keep. */
function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= IDEMPOTENCY_KEY_CHARS_MAX) return key
  const msg = `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`
  throw new Refusal(422, [{ loc: ['header', 'idempotency-key'], msg }])
}
