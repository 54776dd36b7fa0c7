import type { FastifyRequest } from 'fastify'
import { Refusal } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose API key the request came with. Set by `authenticate()` before the body is read. */
    account: { id: number }
  }
}

const BEARER = /^Bearer +(\S+) *$/i

/** What authentication needs from the ledger: the account that a key opens, if any. */
export type FindAccountByKey = (apiKey: string) => Promise<{ id: number } | undefined>

/** @throws {Refusal} 401, if the request does not carry a valid API key. */
export async function authenticate(request: FastifyRequest, find: FindAccountByKey): Promise<void> {
  const apiKey = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (apiKey === undefined) {
    throw new Refusal(401, 'An API key is needed: Authorization: Bearer <API_KEY>.')
  }
  const account = await find(apiKey)
  if (account === undefined) throw new Refusal(401, 'The API key is not valid.')
  request.account = account
}
