import type { TaskFailure } from '../ledger/tasks.ts'
import { createCoolDown } from '../providers/cool-down.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import { createStanding } from '../providers/standing.ts'
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
  const coolDown = createCoolDown({ coolDownMs: COOL_DOWN_MS })
  const standing = createStanding()
  let reason: TaskFailure = NOT_THERE
  return { taken, refused, away, findRefusal, workedAt: standing.workedAt }

  function taken(): void {
    coolDown.begin().succeeded()
    standing.worked()
  }

  function refused(failure: ProviderFailure): void {
    beginCoolDown(NOT_TAKEN, failure)
  }

  function away(failure: ProviderFailure): void {
    beginCoolDown(NOT_THERE, failure)
  }

  function findRefusal(): KnownRefusal | undefined {
    const retryAfterMs = coolDown.restMs()
    return retryAfterMs === 0 ? undefined : { ...reason, retryAfterMs }
  }

  function beginCoolDown(why: TaskFailure, { retryAfterMs }: ProviderFailure): void {
    reason = why
    coolDown.begin().failed(retryAfterMs)
  }
}
