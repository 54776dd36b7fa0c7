import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { TaskCreated, toModelName } from '../../../contract/tasks.ts'
import { retryUntilStored } from '../../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble, isOutcomeUnknown } from '../../../platform/database/trouble.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { CALLBACK_URL_CHARS_MAX } from '../../callback/callback-target.ts'
import type { Callbacks } from '../../callback/callbacks.ts'
import type { KnownRefusal } from '../../generation/availability.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import { ModelNotAllowedError } from '../../ledger/errors.ts'
import { toTaskReference } from '../../ledger/publish-money.ts'
import type { Pool } from '../../ledger/sql.ts'
import { chargeTask, findRepeatedTask, type TaskCharge } from '../../ledger/tasks.ts'
import { BODY_REFUSALS, describeAnswers } from '../answers.ts'
import { describeIdempotencyKey, readIdempotencyKey } from '../idempotency-key.ts'
import { TASK_END_CALLBACK } from '../openapi.ts'
import { publishReference } from '../publish-requests.ts'
import { creationLimit } from '../rate-limit.ts'
import { NO_SUCH_PATH, Refusal } from '../refusals.ts'

export interface CreateTaskRouteDeps {
  pool: Pool
  /** Finds the endpoint that the path offers just now. The route is there also while it offers nothing. */
  findOffered: () => Endpoint | undefined
  callbacks: Pick<Callbacks, 'findProblem'>
  findRefusal: () => Promise<KnownRefusal | undefined>
  /**
   * Takes back a creation that may have been charged, once the database can be asked. Await it before a refusal.
   *
   * @throws {UnsureEndError} If that takes too long.
   */
  withdraw: (charge: NamedCharge, log: Log) => Promise<void>
  clock?: Pick<Clock, 'now' | 'sleep'>
}

/** A charge that its process can find again. */
export type NamedCharge = TaskCharge & { reference: string }
type Log = Pick<FastifyBaseLogger, 'error'>

/** How long a creation waits for a database that has lost its answer. After that it is refused, and taken back. */
const CHARGE_WAIT_MS = 10_000

type Kind = Pick<Endpoint, 'path' | 'schema' | 'media'> &
  Partial<Pick<Endpoint, 'deliversCallbacks'>>
type Priced = Exclude<ReturnType<Endpoint['read']>, unknown[]>

const OPERATIONS = new Map([
  ['images', { operationId: 'createImage', summary: 'Create an image' }],
  ['videos', { operationId: 'createVideo', summary: 'Create a video' }],
  ['sounds', { operationId: 'createSound', summary: 'Create a sound' }],
])

/** Describes the headers for the OpenAPI document: they are checked before the body is, with their own words. */
function describeHeaders(callbackUrl: string) {
  return Type.Object({
    ...describeIdempotencyKey(
      'A repeat with the same key gets the first task and is not charged again. With another body, or ' +
        'at another endpoint, the key is refused.',
    ),
    'X-Callback-Url': Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: CALLBACK_URL_CHARS_MAX,
        description: callbackUrl,
        examples: ['https://shop.example/tasks'],
      }),
    ),
  })
}

const CHARGE = 'The price is charged at once, and returned if the task fails.'
const WITH_CALLBACK = {
  description: `${CHARGE} Without \`X-Callback-Url\` the result is to be asked for with \`GET /task/{task_id}\`.`,
  headers: describeHeaders(
    'Where a signed POST tells of the end of the task: a public address, http or https.',
  ),
  callbacks: TASK_END_CALLBACK,
}
const WITHOUT_CALLBACK = {
  description: `${CHARGE} The result is to be asked for with \`GET /task/{task_id}\`.`,
  headers: describeHeaders('Is checked as at the other endpoints, and never called.'),
}

/**
 * `POST /<endpoint>`: checks the body, charges the task's price and has it worked on.
 *
 * The body is refused in Fastify's validation, so a 422 comes before the statement that says 429 or 402. What was on
 * offer when the body was read takes the order, also if that has changed since. Where its provider is known to
 * take nothing now, or nothing could be stored, the answer is 502 or 503 instead of that statement.
 * With an `Idempotency-Key` header a repeat answers with the first task and counts towards nothing; a
 * key that came with another body, or at another endpoint, is 422.
 */
export function createTaskRoute(
  kind: Kind,
  { pool, findOffered, callbacks, findRefusal, withdraw, clock = systemClock }: CreateTaskRouteDeps,
): FastifyPluginAsync {
  const { path, media, deliversCallbacks = true } = kind
  const limit = creationLimit(media)
  return async (app) => {
    app.post<{ Body: Priced }>(
      `/${path}`,
      {
        schema: describe(kind),
        validatorCompiler: ({ httpPart }) => (httpPart === 'body' ? readBody : () => true),
        preValidation: async (request) => {
          readIdempotencyKey(request)
          await checkCallbackUrl(request)
        },
      },
      async (request) => {
        const { params, label, priceMicroRub } = request.body
        const charge = {
          accountId: request.account.id,
          keyId: request.account.keyId,
          limit,
          model: toModelName(path),
          amountMicroRub: priceMicroRub,
          endpoint: path,
          params,
          label,
          idempotencyKey: readIdempotencyKey(request),
          reference: randomUUID(),
          callbackUrl: deliversCallbacks ? readCallbackUrl(request) : undefined,
        }
        const refusal = findOffered()?.availability.findRefusal() ?? (await findRefusal())
        const taskId = await (refusal === undefined
          ? order(charge, request.log)
          : repeat(charge, refusal))
        publishReference(request, toTaskReference(taskId))
        return { task_id: taskId }
      },
    )
  }

  async function order(charge: NamedCharge, log: Log): Promise<number> {
    try {
      return await chargeOnce(charge, log)
    } catch (error) {
      if (!(error instanceof ModelNotAllowedError)) throw error
      throw new Refusal(422, [{ loc: ['body'], msg: `"${charge.label}" is not on offer` }])
    }
  }

  /**
   * Charges again where the database lost the answer: the name of the charge shows whether the first was stored. Where
   * that cannot be found out in time it is taken back, unless the customer has a key, with which a repeat finds it.
   */
  async function chargeOnce(charge: NamedCharge, log: Log): Promise<number> {
    const attempt = () => chargeTask(pool, charge)
    try {
      return await attempt()
    } catch (error) {
      if (!isDatabaseTrouble(error) || !isOutcomeUnknown(error)) throw error
    }
    try {
      return await retryUntilStored(attempt, { clock, waitMs: CHARGE_WAIT_MS })
    } catch (error) {
      const isInDoubt = isDatabaseTrouble(error) && charge.idempotencyKey === undefined
      if (isInDoubt) await withdraw(charge, log)
      throw error
    }
  }

  /** A task that was created before its provider went away remains the caller's. */
  async function repeat(charge: TaskCharge, refusal: KnownRefusal): Promise<number> {
    const taskId = await findRepeatedTask(pool, charge)
    if (taskId === undefined) throw new Refusal(refusal.code, refusal.message, refusal)
    return taskId
  }

  function readBody(body: unknown) {
    const read = findOffered()?.read(body)
    if (read === undefined) return { error: new Refusal(404, NO_SUCH_PATH) }
    return Array.isArray(read) ? { error: new Refusal(422, read) } : { value: read }
  }

  async function checkCallbackUrl(request: FastifyRequest): Promise<void> {
    const url = readCallbackUrl(request)
    const msg = url === undefined ? undefined : await callbacks.findProblem(url)
    if (msg !== undefined) throw new Refusal(422, [{ loc: ['header', 'X-Callback-Url'], msg }])
  }
}

function describe({ path, schema, deliversCallbacks = true }: Kind) {
  return {
    tags: ['generation'],
    ...OPERATIONS.get(path.split('/')[0] ?? ''),
    ...(deliversCallbacks ? WITH_CALLBACK : WITHOUT_CALLBACK),
    body: schema,
    response: describeAnswers(TaskCreated, { refusals: [...BODY_REFUSALS, 402, 403, 429, 502] }),
  }
}

/** A header that came twice is one text with a comma, which is no URL. */
function readCallbackUrl(request: FastifyRequest): string | undefined {
  return request.headers['x-callback-url']?.toString()
}
