import { backoffMs } from '../../platform/time/backoff.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { retry } from '../../platform/time/retry.ts'
import type { FailureKind, ProviderFailure } from '../providers/failure.ts'
import { ProviderError, type ProviderErrorCode } from '../providers/provider.ts'
import type { Upstream, Upstreams } from './upstreams.ts'

/** No try begins later after the first one: a time-out of two minutes may be followed by another upstream. */
const TRIES_MS_MAX = 150_000

/** Between two tries of one upstream in one request. A longer wait is the client's to decide. */
const BACKOFF = { firstMs: 500, maxMs: 8_000 }
const WAIT_MS_MAX = 10_000

/** An upstream that says this to a request says it again, whoever is to blame. */
const FINAL_KINDS: ReadonlySet<FailureKind> = new Set(['refused', 'unauthorized'])

/** One upstream as one request sees it. */
interface Place {
  upstream: Upstream
  tries: number
  /** What it failed with last. */
  failure: ProviderFailure | undefined
}

/** Another try follows, or the request ends with this. */
export type FailureMeaning = 'retried' | ProviderErrorCode

export interface AskInTurnOptions {
  signal: AbortSignal
  /** Told of every failure, in order, and what it means for the request. */
  onFailure(upstream: Upstream, failure: ProviderFailure, meaning: FailureMeaning): void
  clock?: Pick<Clock, 'now' | 'sleep'>
  /** From 0 to below 1. */
  random?: () => number
}

/**
 * Asks a model's upstreams, one after the other, until one answers: in their order, or as their weights draw
 * them; one that failed lately after the others. Those that all failed are asked all the same, the one whose
 * cool-down ends first before the others: a cool-down is a guess, and a refusal is sure.
 *
 * What was not tried yet is tried at once, what failed in this request after a while. A request that its
 * upstream blames on the client is final, and so is whatever happens once an answer has begun.
 *
 * @param ask Asks one. Call `noteAnswer` when its answer begins: nobody else is asked from then on.
 * @throws What the last one threw; the signal's reason once it is aborted.
 */
export async function askInTurn<T>(
  { upstreams, retries }: Upstreams,
  ask: (upstream: Upstream, noteAnswer: () => void) => Promise<T>,
  { signal, onFailure, clock = systemClock, random = Math.random }: AskInTurnOptions,
): Promise<T> {
  const endsAt = clock.now() + TRIES_MS_MAX
  const places = rank(upstreams, random).map(
    (upstream): Place => ({ upstream, tries: 0, failure: undefined }),
  )
  let place = choose(places)
  let hasBegun = false
  return await retry(tryPlace, { clock, signal, delayAfter })

  async function tryPlace(): Promise<T> {
    const { upstream } = place
    const attempt = upstream.coolDown.begin()
    place.tries += 1
    try {
      const answer = await ask(upstream, () => {
        hasBegun = true
        attempt.succeeded()
      })
      attempt.succeeded()
      return answer
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      place.failure = error.failure
      if (error.code === 'rejected') attempt.succeeded()
      else if (error.failure !== undefined) attempt.failed(error.failure.retryAfterMs)
      throw error
    }
  }

  function delayAfter(error: unknown, attempts: number): number | undefined {
    if (!(error instanceof ProviderError) || error.failure === undefined) return undefined
    const { upstream } = place
    const isFinal = hasBegun || error.code === 'rejected' || attempts > retries
    const delayMs = isFinal ? undefined : chooseNext()
    onFailure(upstream, error.failure, delayMs === undefined ? error.code : 'retried')
    return delayMs
  }

  /** @returns How long to wait for it; undefined if none may be tried again. */
  function chooseNext(): number | undefined {
    const latestMs = Math.min(WAIT_MS_MAX, endsAt - clock.now())
    const open = places.filter((place) => !isFinal(place) && toDelayMs(place) <= latestMs)
    if (open.length === 0) return undefined
    place = choose(open)
    return toDelayMs(place)
  }
}

function isFinal({ failure }: Place): boolean {
  return failure !== undefined && FINAL_KINDS.has(failure.kind)
}

/** At once if this request has not tried it. */
function toDelayMs({ tries, failure }: Place): number {
  if (tries === 0) return 0
  return Math.max(backoffMs(BACKOFF, tries), failure?.retryAfterMs ?? 0)
}

/** The one that this request tried least; among those the one that may be asked soonest; then in order. */
function choose(places: readonly Place[]): Place {
  const [first, ...others] = places.map((place) => ({
    place,
    restMs: place.upstream.coolDown.restMs(),
  }))
  if (first === undefined) throw new TypeError('Cannot choose an upstream: there is none')
  return others.reduce((best, next) => {
    const byTries = next.place.tries - best.place.tries
    return byTries < 0 || (byTries === 0 && next.restMs < best.restMs) ? next : best
  }, first).place
}

/** The order in which one request prefers them. */
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
