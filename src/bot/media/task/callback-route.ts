import type { FastifyInstance, FastifyReply } from 'fastify'
import { readHeader } from '../../../platform/http/exchange.ts'
import { CALLBACK_PATH } from './callback-urls.ts'
import type { CallbackOutcome, GivenCallback } from './receive-callback.ts'

/** A callback is a few hundred bytes, and some links. */
const BODY_BYTES_MAX = 64 * 1024

const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The answers to the service; after a 503 it calls back again. */
const REFUSALS: Readonly<
  Record<Exclude<CallbackOutcome, 'recorded' | 'unknown'>, { status: number; detail: string }>
> = {
  stale: { status: 400, detail: 'The timestamp is stale or no number.' },
  unsigned: { status: 401, detail: 'The signature is missing or wrong.' },
  unreadable: { status: 400, detail: 'The body is no callback.' },
  secret_unknown: { status: 503, detail: 'The signature cannot be checked now.' },
}

export interface CallbackRouteOptions {
  receive: (callback: GivenCallback) => Promise<CallbackOutcome> | undefined
}

/**
 * `POST /callbacks/:key`: the service reports the end of a task. The report is stored before it is
 * confirmed; what follows from it comes after the answer.
 */
export function createCallbackPlugin({ receive }: CallbackRouteOptions) {
  return async (http: FastifyInstance): Promise<void> => {
    http.removeAllContentTypeParsers()
    // The signature is of the bytes.
    http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    http.route({
      method: OTHER_METHODS,
      url: `${CALLBACK_PATH}/:key`,
      onRequest: (_request, reply, _done) => {
        reply.header('allow', 'POST').code(405).send({ detail: 'Callbacks are posted.' })
      },
      handler: () => {},
    })
    http.post<{ Params: { key: string } }>(
      `${CALLBACK_PATH}/:key`,
      { bodyLimit: BODY_BYTES_MAX },
      async ({ params, headers, body }, reply): Promise<FastifyReply> => {
        const outcome = receive({
          key: params.key,
          timestamp: readHeader(headers, 'x-callback-timestamp'),
          signature: readHeader(headers, 'x-callback-signature'),
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        })
        if (outcome === undefined) {
          return reply.code(503).send({ detail: 'The bot is not there yet.' })
        }
        return answer(await outcome, reply)
      },
    )
  }
}

function answer(outcome: CallbackOutcome, reply: FastifyReply): FastifyReply {
  if (outcome === 'recorded' || outcome === 'unknown') return reply.code(200).send({ ok: true })
  const { status, detail } = REFUSALS[outcome]
  return reply.code(status).send({ detail })
}
