/** Asks the upstreams of a model, one after the other. Once an answer has begun, no other upstream is asked. */
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import type { ProviderHealth } from '../providers/health.ts'
import { type ChatProvider, ProviderError, type ProviderErrorCode } from '../providers/provider.ts'

/** The last moment at which an upstream is asked: another upstream may follow a time-out of two minutes. */
const ASKING_MS_MAX = 150_000

export interface Upstream {
  /** Its name in the log and in metrics, unique in its model. */
  name: string
  provider: ChatProvider
  health: ProviderHealth
}

export type FailureMeaning = 'retried' | ProviderErrorCode

export interface AskInTurnOptions {
  signal: AbortSignal
  onFailure(upstream: Upstream, failure: ProviderFailure, meaning: FailureMeaning): void
  clock?: Pick<Clock, 'now'>
}

/**
 * Asks each upstream of a model once, in their order; an upstream that failed lately comes last.
 *
 * @param ask Asks one. It calls `onAnswer` when the answer begins: every failure is final from then on.
 * @throws The last failure, `isLasting` if every upstream refuses all our requests; the signal's reason once it is aborted.
 */
export async function askInTurn<T>(
  upstreams: readonly Upstream[],
  ask: (upstream: Upstream, onAnswer: () => void) => Promise<T>,
  { signal, onFailure, clock = systemClock }: AskInTurnOptions,
): Promise<T> {
  const endsAt = clock.now() + ASKING_MS_MAX
  const queue = upstreams.toSorted((one, other) => one.health.restMs() - other.health.restMs())
  for (const [index, upstream] of queue.entries()) {
    signal.throwIfAborted()
    const { health } = upstream
    health.begin()
    let hasBegun = false
    try {
      const answer = await ask(upstream, () => {
        hasBegun = true
        health.worked()
      })
      health.worked()
      return answer
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProviderError) || error.failure === undefined) throw error
      const { code, failure } = error
      const isRejected = code === 'rejected'
      if (isRejected) health.worked()
      else health.failed(failure)
      const isLast = index === queue.length - 1 || clock.now() >= endsAt
      const isFinal = hasBegun || isRejected || isLast
      onFailure(upstream, failure, isFinal ? code : 'retried')
      if (isFinal) throw describe(error, upstreams)
    }
  }
  throw new TypeError('Cannot ask an upstream: there is none')
}

/** An upstream that is only away, or was not asked, may answer the next request. */
function describe(error: ProviderError, upstreams: readonly Upstream[]): ProviderError {
  const { code, failure } = error
  if (code !== 'unavailable' || !upstreams.every(({ health }) => health.isRefused)) return error
  const message = 'The model is not set up right: the operator of the service can mend it.'
  return new ProviderError(code, message, { failure, isLasting: true, cause: error })
}
