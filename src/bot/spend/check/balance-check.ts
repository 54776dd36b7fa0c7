import type { BalanceReading } from './balance-reading.ts'
import { addCauses, type Causes, explainDifference } from './explain-difference.ts'

/** Our charges against the movement of the service's balance since the first reading. */
export interface BalanceCheck {
  from: Date
  to: Date
  /** The amount by which the balance fell; below zero where more came in. */
  movedMicroRub: bigint
  chargedMicroRub: bigint
  /** `moved` without `charged`: the sum of the causes. */
  differenceMicroRub: bigint
  causes: Causes
  mayEvenOut: boolean
}

/** Readings to check by, whose number does not grow with the years. */
export interface KeptReadings {
  first: BalanceReading | undefined
  causes: Causes
  /** The readings from the last one that names the causes up to it, in their order. */
  since: readonly BalanceReading[]
}

/** Checks our charges from the first reading that is kept to one that was taken after all of them. */
export function checkReadings(
  { first, causes: known, since }: KeptReadings,
  last: BalanceReading,
): BalanceCheck {
  let causes = known
  const readings = [...since, last]
  readings.reduce((from, to) => {
    causes = addCauses(causes, explainDifference(from, to))
    return to
  })
  const { readAt, balanceMicroRub, chargedMicroRub } = first ?? last
  const moved = { movedMicroRub: balanceMicroRub - last.balanceMicroRub }
  const charged = { chargedMicroRub: last.chargedMicroRub - chargedMicroRub }
  const differenceMicroRub = moved.movedMicroRub - charged.chargedMicroRub
  return {
    from: readAt,
    to: last.readAt,
    ...moved,
    ...charged,
    causes,
    differenceMicroRub,
    mayEvenOut: differenceMicroRub !== 0n && !last.isSettled,
  }
}
