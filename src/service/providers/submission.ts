import { type Static, Type } from 'typebox'
import type { Answer, Exchange } from '../../http/exchange.ts'
import { readRetryAfterMs } from '../../http/headers.ts'
import { RETRY_AFTER_MS_MAX } from './failure.ts'
import { judgeStatus, type Verdict } from './judge-status.ts'
import { type GenerationState, type GenerationStep, ProviderError } from './provider.ts'
import { readJson } from './provider-http.ts'

/**
 * How far the request that begins paid work has come: not out, perhaps out, or answered with what we need.
 * One that is `sent` and was cut off is in doubt: the work may have begun, and be charged, without us.
 */
export const SubmissionPhase = Type.Enum(['unsent', 'sent', 'begun'])
export type SubmissionPhase = Static<typeof SubmissionPhase>

const REFUSED: GenerationState = {
  status: 'fail',
  code: 502,
  message: 'The provider refused the request.',
}

/**
 * Sends the request that begins paid work, and stores before that it may be out.
 *
 * @param operation What is stored now; stored again when it turns out that nothing has begun.
 * @param judge Where an answer says more than its status.
 * @returns The answer that accepts the work, or how the task stands without one.
 * @throws {ProviderError} `unavailable`, if nothing has begun or it is not known.
 */
export async function submit<Operation extends { phase: SubmissionPhase }>(
  operation: Operation,
  {
    save,
    send,
    judge = ({ status }) => judgeStatus(status),
  }: {
    save: GenerationStep['save']
    send: () => Promise<Exchange>
    judge?: (answer: Answer) => Verdict
  },
): Promise<{ answer: Answer } | { state: GenerationState }> {
  await save({ ...operation, phase: 'sent' })
  const exchange = await send()
  if (exchange.outcome === 'unsent') await save(operation)
  if (exchange.outcome !== 'answered') throw toUnavailable(exchange.cause)
  const cause = new Error(`Cannot begin work: the provider answered ${exchange.status}`)
  switch (judge(exchange)) {
    case 'accepted':
      return { answer: exchange }
    case 'rejected':
      return { state: REFUSED }
    case 'unavailable': {
      await save(operation)
      const retryAfterMs = readRetryAfterMs(exchange.headers)
      if (retryAfterMs === undefined) throw toUnavailable(cause)
      return { state: laterState(retryAfterMs) }
    }
    case 'unknown':
      throw toUnavailable(cause)
  }
}

/**
 * Reads how begun work stands from the answer to a poll.
 *
 * @param intervalMs What the provider allows at most; a refusal for coming too early may ask for longer.
 * @throws {ProviderError} `unavailable`, if the answer does not tell.
 */
export function readPoll(
  exchange: Exchange,
  intervalMs: number,
  toState: (json: unknown) => GenerationState,
): GenerationState {
  if (exchange.outcome === 'answered' && exchange.status === 429) {
    return laterState(Math.max(intervalMs, readRetryAfterMs(exchange.headers) ?? 0))
  }
  return toState(readJson(expectOk(exchange)))
}

/** @throws {ProviderError} `unavailable`, if the answer is no 200. */
export function expectOk(exchange: Exchange): Answer {
  if (exchange.outcome !== 'answered') throw toUnavailable(exchange.cause)
  if (exchange.status === 200) return exchange
  throw toUnavailable(new Error(`Cannot read work: the provider answered ${exchange.status}`))
}

/** The work goes on, and is left alone for as long as its provider asks. */
function laterState(retryAfterMs: number): GenerationState {
  return { status: 'generating', checkAfterMs: Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) }
}

/** What `check()` throws when it could not ask. */
export function toUnavailable(cause: unknown): ProviderError {
  return new ProviderError('unavailable', 'The provider is not available now.', { cause })
}

/** For an operation that no version of ours can have stored. */
export const DAMAGED: GenerationState = {
  status: 'fail',
  code: 500,
  message: 'The work cannot go on: its stored description is damaged.',
}

/** For work in doubt that its provider cannot be asked about: it is given up at once, rather than ordered twice. */
export const CUT_OFF: GenerationState = {
  status: 'fail',
  code: 502,
  message: 'The provider was cut off while it began the work.',
}
