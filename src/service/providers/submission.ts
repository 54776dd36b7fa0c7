import { type Static, Type } from 'typebox'
import type { Answer, Exchange } from '../../platform/http/exchange.ts'
import { readRetryAfterMs } from '../../platform/http/headers.ts'
import { EXPLANATION_BYTES_MAX, type Unspeakable } from './explanation.ts'
import { type ProviderFailure, RETRY_AFTER_MS_MAX, readBreak, readRefusal } from './failure.ts'
import { judgeStatus, type Verdict } from './judge-status.ts'
import {
  type GenerationState,
  type GenerationStep,
  ProviderError,
  type ProviderOperation,
} from './provider.ts'
import { type ProviderAccess, readJson } from './provider-http.ts'

/**
 * How far the request that begins paid work has come: not out, perhaps out, or answered with what we need.
 * One that is `sent` and was cut off is in doubt: the work may have begun, and be charged, without us.
 */
export const SubmissionPhase = Type.Enum(['unsent', 'sent', 'begun'])
export type SubmissionPhase = Static<typeof SubmissionPhase>

/** Checks whether paid work may have begun. An operation without phases costs nothing: it is begun again at will. */
export function mayHaveBegun({ phase }: ProviderOperation): boolean {
  return phase === 'sent' || phase === 'begun'
}

const REJECTED = {
  status: 'fail',
  code: 502,
  message: 'The provider refused the request.',
} as const

/** The parts by which a request that begins paid work is sent, and its answer judged. */
export interface Submission {
  step: Pick<GenerationStep, 'save' | 'signal'>
  send: () => Promise<Exchange>
  judge?: (answer: Answer) => Verdict
  /** True if the provider can be asked later for work in doubt. Otherwise such work is given up at once. */
  canAskAgain?: boolean
  unspeakable: Unspeakable
}

/**
 * Sends the request that begins paid work, and stores before that it may be out.
 *
 * @param operation What is stored now; stored again when it turns out that nothing has begun.
 * @returns The answer that accepts the work, or how the task stands without one.
 * @throws {ProviderError} `unavailable`, if it was not waited for what comes of it.
 */
export async function submit<Operation extends { phase: SubmissionPhase }>(
  operation: Operation,
  { step, send, judge = judgeAnswer, canAskAgain = false, unspeakable }: Submission,
): Promise<{ answer: Answer } | { state: GenerationState }> {
  await step.save({ ...operation, phase: 'sent' })
  const exchange = await send()
  if (exchange.outcome === 'unsent') await step.save(operation)
  if (exchange.outcome !== 'answered') {
    if (step.signal.aborted) throw toUnavailable(exchange.cause)
    const failure = toFailure(exchange, unspeakable)
    return {
      state: exchange.outcome === 'unsent' ? { status: 'unbegun', failure } : inDoubt(failure),
    }
  }
  const verdict = judge(exchange)
  if (verdict === 'accepted') return { answer: exchange }
  const failure = toFailure(exchange, unspeakable)
  switch (verdict) {
    case 'rejected':
      return { state: { ...REJECTED, failure: { ...failure, kind: 'refused' } } }
    case 'refused':
      return { state: { status: 'refused', failure } }
    case 'unavailable':
      await step.save(operation)
      return { state: { status: 'unbegun', failure } }
    case 'unknown':
      return { state: inDoubt(failure) }
  }

  function inDoubt(failure: ProviderFailure): GenerationState {
    return canAskAgain ? { status: 'unbegun', failure } : { ...CUT_OFF, failure }
  }
}

/** How a task stands whose work was accepted by an answer that does not say which work it is. */
export function toUnnamed(answer: Answer, unspeakable: Unspeakable): GenerationState {
  const failure = toFailure({ outcome: 'answered', ...answer }, unspeakable)
  return { status: 'refused', failure: { ...failure, kind: 'refused' } }
}

/** Describes, for the operator, an exchange that did not bring what it was for. */
export function toFailure(exchange: Exchange, unspeakable: Unspeakable): ProviderFailure {
  if (exchange.outcome !== 'answered') return readBreak(exchange.cause, unspeakable)
  return readRefusal(
    { ...exchange, body: exchange.body.subarray(0, EXPLANATION_BYTES_MAX) },
    unspeakable,
  )
}

/**
 * Collects what must not be in the operator's line about a creation: our key there, and what the customer wrote.
 *
 * @param words Fields of the operation's body: of them the texts.
 */
export function toUnspeakable(
  { apiKey }: Pick<ProviderAccess, 'apiKey'>,
  ...words: unknown[]
): Unspeakable {
  const texts = words.filter((word) => typeof word === 'string')
  return { secrets: apiKey === undefined ? [] : [apiKey], texts }
}

function judgeAnswer({ status }: Answer): Verdict {
  return judgeStatus(status)
}

/** The parts by which the answer to a poll is read. */
export interface Poll {
  /** The shortest interval that the provider allows; a refusal for coming too early may ask for longer. */
  intervalMs: number
  unspeakable: Unspeakable
  toState: (json: unknown) => GenerationState
}

/**
 * Reads how begun work stands from the answer to a poll.
 *
 * @throws {ProviderError} `unavailable`, if the answer is no 200.
 */
export function readPoll(
  exchange: Exchange,
  { intervalMs, unspeakable, toState }: Poll,
): GenerationState {
  if (exchange.outcome !== 'answered') {
    throw toUnavailable(exchange.cause, toFailure(exchange, unspeakable))
  }
  if (exchange.status === 200) return toState(readJson(exchange))
  if (exchange.status === 429) {
    return laterState(Math.max(intervalMs, readRetryAfterMs(exchange.headers) ?? 0))
  }
  const cause = new Error(`Cannot read work: the provider answered ${exchange.status}`)
  throw toUnavailable(cause, toFailure(exchange, unspeakable))
}

function laterState(retryAfterMs: number): GenerationState {
  return { status: 'generating', checkAfterMs: Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) }
}

function toUnavailable(cause: unknown, failure?: ProviderFailure): ProviderError {
  return new ProviderError('unavailable', 'The provider is not available now.', { cause, failure })
}

/** The end of an operation that no version of ours can have stored. */
export const DAMAGED: GenerationState = {
  status: 'fail',
  code: 500,
  message: 'The work cannot go on: its stored description is damaged.',
}

/** The end of work in doubt that its provider cannot be asked about: given up at once, rather than ordered twice. */
export const CUT_OFF = {
  status: 'fail',
  code: 502,
  message: 'The provider was cut off while it began the work.',
} as const satisfies GenerationState
