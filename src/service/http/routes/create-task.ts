import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ErrorBody, FieldErrorBody } from '../../../contract/errors.ts'
import { TaskCreated } from '../../../contract/task.ts'
import type { Callbacks } from '../../callback/callbacks.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import type { Sql } from '../../ledger/sql.ts'
import { chargeTask } from '../../ledger/task-charge.ts'
import { Refusal } from '../errors.ts'
import { creationLimit } from '../rate-limit.ts'

export interface CreateTaskRouteDeps {
  sql: Sql
  callbacks: Pick<Callbacks, 'findProblem'>
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
  { sql, callbacks }: CreateTaskRouteDeps,
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
        const taskId = await chargeTask(sql, {
          accountId: request.account.id,
          endpoint: endpoint.path,
          limit,
          idempotencyKey: readIdempotencyKey(request),
          callbackUrl: endpoint.deliversCallbacks ? readCallbackUrl(request) : undefined,
          ...request.body,
        })
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
