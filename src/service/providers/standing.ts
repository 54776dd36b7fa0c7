import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { FailureKind, ProviderFailure } from './failure.ts'

/** Failures that the same request, and nearly every other one, meets again until the operator has mended something. */
const LASTING_KINDS: ReadonlySet<FailureKind> = new Set(['refused', 'unauthorized'])

/** A provider that refuses our requests until the operator has mended something, as its operator reads of it. */
export interface ProviderRefusal {
  model?: string
  endpoint?: string
  upstream: string
  failure: ProviderFailure
  workedAt: Date
}

export type Standing = ReturnType<typeof createStanding>

/**
 * Remembers whether a provider takes our requests at all: our key, our balance and our rights there, and the names by
 * which it is asked. Each process finds out for itself, and a restart or a reload forgets.
 */
export function createStanding({ clock = systemClock }: { clock?: Pick<Clock, 'now'> } = {}) {
  let workedAtMs = clock.now()
  let isRefused = false
  return { worked, failed, isRefused: () => isRefused, workedAt: () => new Date(workedAtMs) }

  /** Records that it took a request, or had a fault to find with that one alone. */
  function worked(): void {
    workedAtMs = clock.now()
    isRefused = false
  }

  function failed(failure: ProviderFailure): void {
    isRefused = isLasting(failure)
  }
}

/** Checks whether a failure that no request is to blame for is the operator's to mend, and nobody else's. */
export function isLasting({ kind }: Pick<ProviderFailure, 'kind'>): boolean {
  return LASTING_KINDS.has(kind)
}
