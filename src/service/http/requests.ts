/** Follows each request from its first byte to its last: its log line, its figures, its account. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ChatClient, ClientGoneError } from '../chat/chat-client.ts'
import { RequestRefusedError } from '../ledger/errors.ts'
import type { KeyedAccount, KnownKeys } from '../ledger/known-keys.ts'
import type { Metrics } from '../metrics.ts'
import type { Bodies } from './bodies.ts'
import { CLIENT_GONE, Refusal, toRefusal } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request's API key. Set by `authenticate()` before the body is read. */
    account: KeyedAccount
    answeredBy: { model: string; upstream: string } | undefined
    /** The work for the answer, which may outlast the connection. */
    answering: Promise<unknown> | undefined
    client: ChatClient | undefined
  }

  interface FastifyContextConfig {
    /** A remembered key passes without a look-up, because the hold proves it. A refusal has the key looked up first. */
    keyIsProvenByHold?: true
  }
}

export type RequestKeys = Pick<KnownKeys, 'find' | 'recall' | 'forget'>

const BEARER = /^Bearer +(\S+) *$/i

/** Makes the hook that logs and counts each request when it has ended, also if its client left. */
export function watchRequests(bodies: Bodies, metrics: Pick<Metrics, 'requestEnded'>) {
  return (request: FastifyRequest, { raw }: FastifyReply, done: () => void): void => {
    const startedMs = performance.now()
    const { method } = request
    const route = (request.is404 ? undefined : request.routeOptions.url) ?? 'unknown'
    // Fastify's `onResponse` knows nothing of clients that leave.
    raw.once('close', () => {
      if (!raw.writableFinished) request.client?.leave()
      const status = raw.headersSent ? raw.statusCode : CLIENT_GONE
      const end = { method, route, status, durationMs: Math.round(performance.now() - startedMs) }
      // An unknown path has no account.
      const accountId = (request.account as KeyedAccount | undefined)?.id
      const isCut = raw.headersSent && !raw.writableFinished
      const line = { ...end, accountId, ...request.answeredBy, ...(isCut && { isCut }) }
      request.log.info(line, 'request ended')
      metrics.requestEnded(end)
      const returnMemory = () => bodies.end(request)
      if (request.answering === undefined) returnMemory()
      else request.answering.then(returnMemory, returnMemory)
    })
    done()
  }
}

/** Names the account of a request, before its body is read, or refuses it with 401. A known key passes at once. */
export function authenticate(
  request: FastifyRequest,
  keys: RequestKeys,
  done: (error?: Error) => void,
): void {
  const apiKey = readApiKey(request)
  if (apiKey === undefined) {
    done(new Refusal('no_key'))
    return
  }
  const isProvenLater = request.routeOptions.config.keyIsProvenByHold === true
  const recalled = isProvenLater ? keys.recall(apiKey) : undefined
  if (recalled === undefined) keys.find(apiKey).then(pass, done)
  else pass(recalled)

  function pass(account: KeyedAccount | undefined): void {
    if (account !== undefined) request.account = account
    done(account === undefined ? new Refusal('invalid_key') : undefined)
  }
}

/** Returns the error that a request fails with: 401 comes before any other refusal of a key that was not proved. */
export async function proveKeyOfFailed(
  error: Error,
  request: FastifyRequest,
  keys: RequestKeys,
): Promise<Error> {
  const apiKey = readApiKey(request)
  if (apiKey === undefined || request.routeOptions.config.keyIsProvenByHold !== true) return error
  const { status } = toRefusal(error).row
  if (status === 401 || status >= 500) keys.forget(apiKey)
  else if (error instanceof RequestRefusedError || error instanceof ClientGoneError) return error
  else if ((await keys.find(apiKey)) === undefined) return new Refusal('invalid_key')
  return error
}

function readApiKey({ headers }: FastifyRequest): string | undefined {
  return BEARER.exec(headers.authorization ?? '')?.[1]
}
