import type { FastifyRequest } from 'fastify'
import { ClientGoneError } from '../chat/chat-client.ts'
import { InvalidKeyError, RequestRefusedError } from '../ledger/errors.ts'
import type { KeyedAccount, KnownKeys } from '../ledger/known-keys.ts'
import { Refusal, toRefusal } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request's API key. Set by `authenticate()` before the body is read. */
    account: KeyedAccount
  }

  interface FastifyContextConfig {
    /**
     * The route does nothing before a hold has proved the key: one that was valid before may come as
     * far as that without a look-up. A refusal on the way has the key looked up first.
     */
    keyIsProvenByHold?: true
  }
}

/** The part of the known keys that requests need. */
export type RequestKeys = Pick<KnownKeys, 'find' | 'recall' | 'forget'>

const BEARER = /^Bearer +(\S+) *$/i

const NEEDS_NO_PROOF = [RequestRefusedError, ClientGoneError]

/**
 * Names the account of a request, before its body is read.
 *
 * @throws {Refusal} 401, if the request does not carry an API key.
 * @throws {InvalidKeyError} If the key is not valid.
 */
export async function authenticate(request: FastifyRequest, keys: RequestKeys): Promise<void> {
  const apiKey = readApiKey(request)
  if (apiKey === undefined) {
    throw new Refusal(401, 'An API key is needed: Authorization: Bearer <API_KEY>.')
  }
  const { keyIsProvenByHold } = request.routeOptions.config
  const account = (keyIsProvenByHold === true && keys.recall(apiKey)) || (await keys.find(apiKey))
  if (account === undefined) throw new InvalidKeyError()
  request.account = account
}

/**
 * Judges the key of a request that failed, if it may not have been proved yet: no other refusal comes
 * before the key's. Once something speaks against the key, or the database is away, the key of the next
 * request is looked up again, before its body is read and a hold is asked for in vain.
 *
 * @throws {InvalidKeyError} If the key is not valid; this is to be answered instead.
 */
export async function proveKeyOfFailed(
  error: Error,
  request: FastifyRequest,
  keys: RequestKeys,
): Promise<void> {
  const apiKey = readApiKey(request)
  if (apiKey === undefined || request.routeOptions.config.keyIsProvenByHold !== true) return
  const { statusCode } = toRefusal(error)
  if (statusCode === 401 || statusCode >= 500) keys.forget(apiKey)
  else if (NEEDS_NO_PROOF.some((type) => error instanceof type)) return
  else if ((await keys.find(apiKey)) === undefined) throw new InvalidKeyError()
}

function readApiKey({ headers }: FastifyRequest): string | undefined {
  return BEARER.exec(headers.authorization ?? '')?.[1]
}
