import type { TaskFailure } from '../ledger/task-charge.ts'
import { createCoolDown } from '../providers/cool-down.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import { NOT_TAKEN, NOT_THERE } from './failures.ts'

/** How long new creations are refused after one that was not taken. */
const COOL_DOWN_MS = 30_000

/** Why a creation would fail, and when it is worth asking again. */
export interface KnownRefusal extends TaskFailure {
  retryAfterMs: number
}

export type Availability = ReturnType<typeof createAvailability>

/**
 * Whether a provider takes new work, as far as this process has just seen. What is known to fail is refused
 * before anything is charged for it.
 */
export function createAvailability() {
  const coolDown = createCoolDown({ coolDownMs: COOL_DOWN_MS })
  let reason: TaskFailure = NOT_THERE
  return { taken, refused, away, findRefusal }

  /** It took work, so it takes more. */
  function taken(): void {
    coolDown.begin().succeeded()
  }

  /** It takes no work before the operator mends something. */
  function refused(failure: ProviderFailure): void {
    note(NOT_TAKEN, failure)
  }

  /** It is not there, or takes nothing for long. */
  function away(failure: ProviderFailure): void {
    note(NOT_THERE, failure)
  }

  /** @returns undefined if it may be asked. */
  function findRefusal(): KnownRefusal | undefined {
    const retryAfterMs = coolDown.restMs()
    return retryAfterMs === 0 ? undefined : { ...reason, retryAfterMs }
  }

  function note(why: TaskFailure, { retryAfterMs }: ProviderFailure): void {
    reason = why
    coolDown.begin().failed(retryAfterMs)
  }
}
