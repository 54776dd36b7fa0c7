import type { BalanceReading } from './balance-reading.ts'
import { addCauses, type Causes, explainDifference, NO_CAUSES } from './explain-difference.ts'

/** Our charges against the movement of the service's balance since the first reading. */
export interface BalanceCheck {
  from: Date
  to: Date
  /** By how much the balance fell; below zero where more came in. */
  movedMicroRub: bigint
  /** What users were charged. */
  chargedMicroRub: bigint
  /** `moved` without `charged`: the sum of the causes. */
  differenceMicroRub: bigint
  causes: Causes
  /** Whether nothing of ours was under way at the end: otherwise a part of the difference may go by itself. */
  isSettled: boolean
}

/**
 * Checks our charges from the first reading to the last.
 *
 * @param readings At least one, in their order.
 */
export function checkReadings(readings: readonly BalanceReading[]): BalanceCheck {
  const [first] = readings
  const last = readings.at(-1)
  if (first === undefined || last === undefined) throw new RangeError('Cannot check: no reading')
  let causes = NO_CAUSES
  readings.reduce((from, to) => {
    causes = addCauses(causes, explainDifference(from, to))
    return to
  })
  const movedMicroRub = first.balanceMicroRub - last.balanceMicroRub
  const chargedMicroRub = last.chargedMicroRub - first.chargedMicroRub
  return {
    ...{ from: first.readAt, to: last.readAt, movedMicroRub, chargedMicroRub, causes },
    differenceMicroRub: movedMicroRub - chargedMicroRub,
    isSettled: last.isSettled,
  }
}
