/**
 * The service reports the end of a task: `POST /callbacks/:key`, at any process of the bot.
 *
 * A report is checked by its signature and time, and stored on its order before it is confirmed. The run of the order
 * is woken, and continues under its lease as after a poll.
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { readCallback } from '../../contract/client/read-answers.ts'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import { signCallback } from '../../contract/tasks.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { readHeader } from '../../platform/http/http-client.ts'
import { parseJson } from '../../platform/http/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { errorFacts } from '../telegram/errors.ts'
import { CALLBACK_PATH } from './addresses.ts'
import type { Order } from './orders-app.ts'
import { ORDER_CHANNEL } from './place-order.ts'

/** A callback is a few hundred bytes, and some links. */
const BODY_BYTES_MAX = 64 * 1024
/** An older callback may be a replay (interface document, Verification rules). */
const AGE_S_MAX = 300
/** The service accepts ten requests a minute, of all processes together. */
const SECRET_INTERVAL_MS = 20_000
/** A service waits 10 s for the answer to its callback. */
const SECRET_MS_MAX = 5_000
const KEY = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

export interface GivenCallback {
  key: string
  timestamp: string | undefined
  signature: string | undefined
  body: Buffer
}

/** After a 503 the service calls back again. */
const DETAILS = {
  400: 'The timestamp is stale, or the body is no callback.',
  401: 'The signature is missing or wrong.',
  503: 'The signature cannot be checked now.',
} as const

type CallbackStatus = 200 | keyof typeof DETAILS

/** Returns undefined for videos, which have no callbacks. */
export function callbackUrlOf(
  { kind, idempotencyKey }: Pick<Order, 'kind' | 'idempotencyKey'>,
  root: string | undefined,
): string | undefined {
  if (root === undefined || kind === 'video') return undefined
  return `${root}${CALLBACK_PATH}${idempotencyKey}`
}

export function createCallbackPlugin({
  receive,
}: {
  receive: (callback: GivenCallback) => Promise<CallbackStatus>
}) {
  return async (http: FastifyInstance): Promise<void> => {
    http.removeAllContentTypeParsers()
    // The signature covers the exact bytes.
    http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    const url = `${CALLBACK_PATH}:key`
    const options = { bodyLimit: BODY_BYTES_MAX }
    http.post<{ Params: { key: string } }>(url, options, async (request, reply) => {
      const { params, headers, body } = request
      const status = await receive({
        key: params.key,
        timestamp: readHeader(headers, 'x-callback-timestamp'),
        signature: readHeader(headers, 'x-callback-signature'),
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      })
      if (status === 200) return reply.send({ ok: true })
      return reply.code(status).send({ detail: DETAILS[status] })
    })
  }
}

interface CallbackReceiverDeps {
  service: Pick<ServiceClient, 'callbackSecret'>
  prisma: Pick<PrismaClient, '$queryRaw'>
  pool: Pick<Pool, 'query'>
  clock: Pick<Clock, 'now'>
  log: Logger
}

/** Caches the account's secret; a signature that does not fit refreshes it: the account may have changed. */
export class CallbackReceiver {
  readonly #deps: CallbackReceiverDeps
  #secret: string | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(deps: CallbackReceiverDeps) {
    this.#deps = deps
  }

  /** Also confirms a callback that no order waits for. */
  async receive(callback: GivenCallback): Promise<CallbackStatus> {
    const { key, body } = callback
    if (!(await this.#isFresh(callback))) return 400
    if (this.#secret === undefined) await this.#readSecret()
    if (this.#secret === undefined) return 503
    if (!isSignedWith(this.#secret, callback)) {
      await this.#readSecret()
      if (!isSignedWith(this.#secret, callback)) return 401
    }
    const json = parseJson(body.toString())
    const end = readCallback(json)
    if (end === undefined) return 400
    const reported = { key, taskId: end.taskId, body: json as object }
    await recordCallback(this.#deps.pool, reported)
    return 200
  }

  /** By the database's time: the clock of this machine may be wrong. */
  async #isFresh({ timestamp = '' }: GivenCallback): Promise<boolean> {
    if (!/^\d{1,12}$/.test(timestamp)) return false
    const ageS = (await readTime(this.#deps.prisma)).getTime() / 1000 - Number(timestamp)
    return Math.abs(ageS) <= AGE_S_MAX
  }

  /** Several callbacks at once make one request. */
  async #readSecret(): Promise<void> {
    const { service, clock, log } = this.#deps
    if (this.#reading === undefined && clock.now() - this.#readAt >= SECRET_INTERVAL_MS) {
      this.#readAt = clock.now()
      this.#reading = service
        .callbackSecret({ signal: AbortSignal.timeout(SECRET_MS_MAX) })
        .then((secret) => {
          this.#secret = secret
        })
        .catch((error: unknown) => log.warn(errorFacts(error), 'secret of callbacks not read'))
        .finally(() => {
          this.#reading = undefined
        })
    }
    await this.#reading
  }
}

function isSignedWith(
  secret: string,
  { timestamp = '', signature = '', body }: GivenCallback,
): boolean {
  const wanted = Buffer.from(signCallback({ secret, timestamp, body })['x-callback-signature'])
  const given = Buffer.from(signature)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

// The order is found by the key in the URL: a callback may come before the answer to the creation. A repeat finds the
// first one recorded.
const RECORD = `
  WITH recorded AS (
    UPDATE bot."order" SET called_back = $3
    WHERE idempotency_key = $1 AND (task_id IS NULL OR task_id = $2)
      AND state IN ('submitted', 'generating') AND called_back IS NULL
    RETURNING id
  )
  SELECT pg_notify('${ORDER_CHANNEL}', id::text) FROM recorded`

/** Changes no state. @returns Whether an order waits for the callback. */
export async function recordCallback(
  pool: Pick<Pool, 'query'>,
  { key, taskId, body }: { key: string; taskId: number; body: object },
): Promise<boolean> {
  if (!KEY.test(key)) return false
  const { rowCount } = await pool.query(RECORD, [key, taskId, JSON.stringify(body)])
  return rowCount === 1
}
