import type { TaskFailure } from '../ledger/tasks.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import { ProviderHealth } from '../providers/health.ts'
import { NOT_TAKEN, NOT_THERE } from './failures.ts'

const COOL_DOWN_MS = 30_000

/** The reason why a creation would fail, and the time until it is worth asking again; missing where it never is. */
export interface KnownRefusal extends TaskFailure {
  retryAfterMs?: number
}

export type Availability = ReturnType<typeof createAvailability>

/**
 * Remembers whether a provider takes new work, as far as this process has just seen. A creation that would fail is
 * refused before anything is charged for it.
 */
export function createAvailability() {
  const health = new ProviderHealth(COOL_DOWN_MS)
  let reason: TaskFailure = NOT_THERE
  return {
    taken: () => health.worked(),
    refused,
    away,
    findRefusal,
    workedAt: () => health.workedAt,
  }

  function refused(failure: ProviderFailure): void {
    reason = NOT_TAKEN
    health.failed(failure)
  }

  function away(failure: ProviderFailure): void {
    reason = NOT_THERE
    health.failed(failure)
  }

  function findRefusal(): KnownRefusal | undefined {
    const retryAfterMs = health.restMs()
    return retryAfterMs === 0 ? undefined : { ...reason, retryAfterMs }
  }
}
