import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { isLasting, type ProviderFailure } from './failure.ts'

/**
 * Remembers how the last requests to a provider ended, in this process until a reload. After a failure one try in each
 * cool-down finds out whether the provider works again, so that a hanging provider costs one request its patience.
 */
export class ProviderHealth {
  /** True if it refuses all our requests until the operator has fixed something: a key, a balance, a name. */
  isRefused = false
  /** 0 unless it has failed since it last worked. */
  #restsUntil = 0
  readonly #coolDownMs: number
  readonly #clock: Pick<Clock, 'now'>

  /** @param coolDownMs 0 if the provider is always to be asked. */
  constructor(coolDownMs: number, clock: Pick<Clock, 'now'> = systemClock) {
    this.#coolDownMs = coolDownMs
    this.#clock = clock
  }

  restMs(): number {
    return Math.max(0, this.#restsUntil - this.#clock.now())
  }

  /** Begins a try: a provider that failed cools down for the others. */
  begin(): void {
    if (this.#restsUntil > 0) this.#restFor(this.#coolDownMs)
  }

  /** Records that it took a request, or objected to that request alone. */
  worked(): void {
    this.isRefused = false
    this.#restsUntil = 0
  }

  failed(failure: Pick<ProviderFailure, 'kind' | 'retryAfterMs'>): void {
    this.isRefused = isLasting(failure)
    this.#restFor(Math.max(this.#coolDownMs, failure.retryAfterMs ?? 0))
  }

  /** Never shortens the wait that the provider asked for. */
  #restFor(ms: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, this.#clock.now() + ms)
  }
}
