import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { CheckedChat } from '../chat/run.ts'
import type { Repeatable } from '../ledger/holds.ts'
import { type Refusal, refuseFields } from './refusals.ts'

const KEY_CHARS_MAX = 255

/** @throws {Refusal} 422, if there is a key that is empty or too long to store. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= KEY_CHARS_MAX) return key
  throw refuse(`must be 1 to ${KEY_CHARS_MAX} characters`)
}

/** Reads the idempotency key of a plain chat. @throws {Refusal} 422 for a stream, which a repeat could not get. */
export function readRepeatable(
  request: FastifyRequest,
  chat: Pick<CheckedChat, 'model' | 'messages' | 'maxTokens' | 'parameters'> & {
    isStreamed: boolean
  },
): Repeatable | undefined {
  const idempotencyKey = readIdempotencyKey(request)
  if (idempotencyKey === undefined) return undefined
  const { model, messages, maxTokens, parameters = {}, isStreamed } = chat
  if (isStreamed) throw refuse('is for plain answers: leave it out, or ask without stream')
  const hash = createHash('sha256').update(JSON.stringify([request.routeOptions.url, model.id]))
  // One by one: a full context is large.
  for (const message of messages) hash.update(toCanonical(message))
  hash.update(toCanonical({ maxTokens, parameters }))
  return { idempotencyKey, requestHash: hash.digest('base64url') }
}

function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  )
}

function refuse(msg: string): Refusal {
  return refuseFields([{ loc: ['header', 'idempotency-key'], msg }])
}
