/** Asks the upstreams of a model, one after the other. Once an answer has begun, no other upstream is asked. */
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { backoffMs } from '../../platform/time/retry.ts'
import { isLasting, type ProviderFailure } from '../providers/failure.ts'
import type { ProviderHealth } from '../providers/health.ts'
import { type ChatProvider, ProviderError, type ProviderErrorCode } from '../providers/provider.ts'

/** The last moment at which a try begins, from the first one on: another upstream may follow a time-out of two minutes. */
const TRIES_MS_MAX = 150_000
const BACKOFF = { firstMs: 500, maxMs: 8_000 }
const WAIT_MS_MAX = 10_000

export interface Upstream {
  /** Its name in the log and in metrics, unique in its model. */
  name: string
  provider: ChatProvider
  health: ProviderHealth
}

export interface Upstreams {
  upstreams: readonly Upstream[]
  retries: number
}

export type FailureMeaning = 'retried' | ProviderErrorCode

export interface AskInTurnOptions {
  signal: AbortSignal
  onFailure(upstream: Upstream, failure: ProviderFailure, meaning: FailureMeaning): void
  clock?: Pick<Clock, 'now' | 'sleep'>
}

interface Candidate {
  upstream: Upstream
  tries: number
  failure: ProviderFailure | undefined
}

/**
 * Asks a model's upstreams in their order; an upstream that failed lately comes last. An upstream that failed in this
 * request is tried again after a pause.
 *
 * @param ask Asks one. It calls `onAnswer` when the answer begins: every failure is final from then on.
 * @throws The last failure, `isLasting` if every upstream refuses all our requests; the signal's reason once it is aborted.
 */
export async function askInTurn<T>(
  { upstreams, retries }: Upstreams,
  ask: (upstream: Upstream, onAnswer: () => void) => Promise<T>,
  { signal, onFailure, clock = systemClock }: AskInTurnOptions,
): Promise<T> {
  const endsAt = clock.now() + TRIES_MS_MAX
  const candidates = upstreams.map(
    (upstream): Candidate => ({ upstream, tries: 0, failure: undefined }),
  )
  let candidate = choose(candidates)
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    const { upstream } = candidate
    const begun = upstream.health.begin()
    let hasBegun = false
    candidate.tries += 1
    try {
      const answer = await ask(upstream, () => {
        hasBegun = true
        upstream.health.worked(begun)
      })
      upstream.health.worked(begun)
      return answer
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProviderError) || error.failure === undefined) throw error
      const { code, failure } = error
      if (code === 'rejected') upstream.health.worked(begun)
      else upstream.health.failed(failure)
      candidate.failure = failure
      const isFinal = hasBegun || code === 'rejected' || tries > retries
      const latestMs = Math.min(WAIT_MS_MAX, endsAt - clock.now())
      const open = isFinal ? [] : candidates.filter((one) => isOpen(one, latestMs))
      onFailure(upstream, failure, open.length === 0 ? code : 'retried')
      if (open.length === 0) throw describe(error, upstreams)
      candidate = choose(open)
      const delayMs = toDelayMs(candidate)
      if (delayMs > 0) await clock.sleep(delayMs, signal)
    }
  }
}

/** An upstream that is only away, or was not asked, may answer the next request. */
function describe(error: ProviderError, upstreams: readonly Upstream[]): ProviderError {
  const { code, failure } = error
  if (code !== 'unavailable' || !upstreams.every(({ health }) => health.isRefused)) return error
  const message = 'The model is not set up right: the operator of the service can mend it.'
  return new ProviderError(code, message, { failure, isLasting: true, cause: error })
}

function isOpen(candidate: Candidate, latestMs: number): boolean {
  const { failure } = candidate
  const isHopeless = failure !== undefined && isLasting(failure)
  return !isHopeless && toDelayMs(candidate) <= latestMs
}

function toDelayMs({ tries, failure }: Candidate): number {
  if (tries === 0) return 0
  return Math.max(backoffMs(BACKOFF, tries), failure?.retryAfterMs ?? 0)
}

/** Chooses the upstream with the fewest tries of this request, then the shortest cool-down, then the first. */
function choose(candidates: readonly Candidate[]): Candidate {
  const [chosen] = candidates.toSorted(
    (one, other) =>
      one.tries - other.tries || one.upstream.health.restMs() - other.upstream.health.restMs(),
  )
  if (chosen === undefined) throw new TypeError('Cannot choose an upstream: there is none')
  return chosen
}
