import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { isLasting, type ProviderFailure } from './failure.ts'

/**
 * Remembers how the last requests to a provider ended, in this process until a reload. After a failure one try in each
 * cool-down finds out whether the provider works again, so that a hanging provider costs one request its patience.
 */
export class ProviderHealth {
  /** True if it refuses all our requests until the operator has fixed something: a key, a balance, a name. */
  isRefused = false
  #isCooling = false
  #restsUntil = 0
  #failures = 0
  readonly #coolDownMs: number
  readonly #clock: Pick<Clock, 'now'>

  /** @param coolDownMs 0 if the provider is always to be asked. */
  constructor(coolDownMs: number, clock: Pick<Clock, 'now'> = systemClock) {
    this.#coolDownMs = coolDownMs
    this.#clock = clock
  }

  restMs(): number {
    return this.#isCooling ? Math.max(0, this.#restsUntil - this.#clock.now()) : 0
  }

  /** Begins a try: a provider that failed cools down for the others. Returns the number that `worked()` needs. */
  begin(): number {
    if (this.#isCooling) {
      this.#restsUntil = Math.max(this.#restsUntil, this.#clock.now() + this.#coolDownMs)
    }
    return this.#failures
  }

  /** Records that it took a request, or objected to that request alone. A failure after the try's beginning counts more. */
  worked(begun = this.#failures): void {
    this.isRefused = false
    if (this.#failures === begun) this.#isCooling = false
  }

  failed(failure: Pick<ProviderFailure, 'kind' | 'retryAfterMs'>): void {
    const { retryAfterMs } = failure
    // A failure without a wait does not shorten the wait that the provider asked for.
    const askedUntil = this.#isCooling && retryAfterMs === undefined ? this.#restsUntil : 0
    const restMs = Math.max(this.#coolDownMs, retryAfterMs ?? 0)
    this.#restsUntil = Math.max(askedUntil, this.#clock.now() + restMs)
    this.isRefused = isLasting(failure)
    this.#isCooling = true
    this.#failures += 1
  }
}
