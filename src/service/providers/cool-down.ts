import { type Clock, systemClock } from '../../platform/time/clock.ts'

/** One try of a provider. Report how it went, if it went either way: a try that is never reported changes nothing. */
export interface Attempt {
  /** Reports that it works. A failure that came after this try began is later and counts instead. */
  succeeded(): void
  failed(retryAfterMs?: number): void
}

export type CoolDown = ReturnType<typeof createCoolDown>

/**
 * Remembers that a provider failed, so that others are asked before it for a while. Each process finds out
 * for itself, and a restart forgets.
 *
 * After a failure only one try in each cool-down is sent its way, until one succeeds: a provider that
 * does not answer costs one request its patience, not all that come when the time is up.
 *
 * @param coolDownMs How long after a failure; 0 if it is always to be asked.
 */
export function createCoolDown({
  coolDownMs,
  clock = systemClock,
}: {
  coolDownMs: number
  clock?: Pick<Clock, 'now'>
}) {
  let isCooling = false
  let until = 0
  let failures = 0
  return { restMs, begin }

  function restMs(): number {
    return isCooling ? Math.max(0, until - clock.now()) : 0
  }

  /** Begins a try. While it is under way others see a provider that failed before as cooling on. */
  function begin(): Attempt {
    if (isCooling) until = Math.max(until, clock.now() + coolDownMs)
    const failuresBefore = failures
    return {
      succeeded() {
        if (failures === failuresBefore) isCooling = false
      },
      failed(retryAfterMs) {
        // What it asked of another try holds good until it says something else.
        const askedUntil = isCooling && retryAfterMs === undefined ? until : 0
        failures += 1
        isCooling = true
        until = Math.max(askedUntil, clock.now() + Math.max(coolDownMs, retryAfterMs ?? 0))
      },
    }
  }
}
