import type { Feature } from '../../contract/openai.ts'
import { backoffMs } from '../../platform/time/backoff.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { retry } from '../../platform/time/retry.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import { ProviderError, type ProviderErrorCode } from '../providers/provider.ts'
import { isLasting } from '../providers/standing.ts'
import { isAble, type Upstream, type Upstreams } from './upstreams.ts'

/** The last moment at which a try begins, from the first one on: another upstream may follow a time-out of two minutes. */
const TRIES_MS_MAX = 150_000

/** The pause between two tries of one upstream in one request. A longer one is left to the client. */
const BACKOFF = { firstMs: 500, maxMs: 8_000 }
const WAIT_MS_MAX = 10_000

interface Candidate {
  upstream: Upstream
  tries: number
  failure: ProviderFailure | undefined
}

/** Another try follows, or the request ends with this. */
export type FailureMeaning = 'retried' | ProviderErrorCode

export interface AskInTurnOptions {
  signal: AbortSignal
  features?: readonly Feature[]
  onFailure(upstream: Upstream, failure: ProviderFailure, meaning: FailureMeaning): void
  clock?: Pick<Clock, 'now' | 'sleep'>
  random?: () => number
}

/**
 * Asks a model's upstreams, one after the other, until one answers: in their order, or as their weights draw
 * them; one that failed lately after the others. Where all failed lately they are asked all the same, first
 * the one whose cool-down ends first: a cool-down is a guess, and a refusal is sure.
 *
 * An upstream that was not tried yet is tried at once, one that failed in this request after a while. A failure
 * that the upstream blames on the client is final, unless it shows that the upstream cannot do what the request needs;
 * and so is every failure once an answer has begun.
 *
 * @param ask Asks one. It calls `onAnswer` when the answer begins: no other upstream is asked from then on.
 * @throws The last one's error, `isLasting` where every one of them refuses whatever it is asked; the signal's reason
 *   once it is aborted.
 */
export async function askInTurn<T>(
  { upstreams, retries }: Upstreams,
  ask: (upstream: Upstream, onAnswer: () => void) => Promise<T>,
  { signal, features = [], onFailure, clock = systemClock, random = Math.random }: AskInTurnOptions,
): Promise<T> {
  const endsAt = clock.now() + TRIES_MS_MAX
  const able = upstreams.filter((upstream) => isAble(upstream, features))
  // Who asks has looked before: what others have found out since then is found out once more.
  const candidates = rank(able.length > 0 ? able : upstreams, random).map(
    (upstream): Candidate => ({ upstream, tries: 0, failure: undefined }),
  )
  let candidate = choose(candidates)
  let hasBegun = false
  try {
    return await retry(tryCandidate, { clock, signal, delayAfter })
  } catch (error) {
    throw isFromAll(error) ? toLasting(error) : error
  }

  async function tryCandidate(): Promise<T> {
    const { upstream } = candidate
    const attempt = upstream.coolDown.begin()
    candidate.tries += 1
    try {
      const answer = await ask(upstream, () => {
        hasBegun = true
        attempt.succeeded()
        upstream.standing.worked()
      })
      attempt.succeeded()
      upstream.standing.worked()
      return answer
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      candidate.failure = error.failure
      if (error.code === 'rejected') {
        attempt.succeeded()
        upstream.standing.worked()
      } else if (error.failure !== undefined) {
        attempt.failed(error.failure.retryAfterMs)
        upstream.standing.failed(error.failure)
      }
      throw error
    }
  }

  function delayAfter(error: unknown, attempts: number): number | undefined {
    if (!(error instanceof ProviderError) || error.failure === undefined) return undefined
    const { upstream } = candidate
    const isRejected = error.code === 'rejected' && isAble(upstream, features)
    const isFinal = hasBegun || isRejected || attempts > retries
    const delayMs = isFinal ? undefined : chooseNext()
    onFailure(upstream, error.failure, delayMs === undefined ? error.code : 'retried')
    return delayMs
  }

  /** Checks whether all of them refuse. One that is only away, or was not asked, may answer the next request. */
  function isFromAll(error: unknown): error is ProviderError {
    if (!(error instanceof ProviderError) || error.failure === undefined) return false
    return error.code === 'unavailable' && upstreams.every(({ standing }) => standing.isRefused())
  }

  function chooseNext(): number | undefined {
    const latestMs = Math.min(WAIT_MS_MAX, endsAt - clock.now())
    const open = candidates.filter(
      (candidate) =>
        isAble(candidate.upstream, features) &&
        !isFinal(candidate) &&
        toDelayMs(candidate) <= latestMs,
    )
    if (open.length === 0) return undefined
    candidate = choose(open)
    return toDelayMs(candidate)
  }
}

function toLasting(error: ProviderError): ProviderError {
  const message = 'The model is not set up right: the operator of the service can mend it.'
  const { code, failure } = error
  return new ProviderError(code, message, { failure, isLasting: true, cause: error })
}

function isFinal({ failure }: Candidate): boolean {
  return failure !== undefined && isLasting(failure)
}

function toDelayMs({ tries, failure }: Candidate): number {
  if (tries === 0) return 0
  return Math.max(backoffMs(BACKOFF, tries), failure?.retryAfterMs ?? 0)
}

/** The one that this request tried least; among those the one that may be asked soonest; then in order. */
function choose(candidates: readonly Candidate[]): Candidate {
  const [first, ...others] = candidates.map((candidate) => ({
    candidate,
    restMs: candidate.upstream.coolDown.restMs(),
  }))
  if (first === undefined) throw new TypeError('Cannot choose an upstream: there is none')
  return others.reduce((best, next) => {
    const byTries = next.candidate.tries - best.candidate.tries
    return byTries < 0 || (byTries === 0 && next.restMs < best.restMs) ? next : best
  }, first).candidate
}

function rank(upstreams: readonly Upstream[], random: () => number): Upstream[] {
  const left = [...upstreams]
  return upstreams.map(() => {
    const [drawn] = left.splice(draw(left, random), 1)
    return drawn as Upstream
  })
}

/** @returns The index of one, as the weights have it; the first where there are none, or they are all 0. */
function draw(upstreams: readonly Upstream[], random: () => number): number {
  const weights = upstreams.map(({ weight = 0 }) => weight)
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0)
  const index = weights.findIndex((weight) => {
    left -= weight
    return left < 0
  })
  return Math.max(0, index)
}
