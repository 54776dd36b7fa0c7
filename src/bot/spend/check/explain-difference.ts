import type { BalanceReading } from './balance-reading.ts'

/**
 * Why the balance moved by something else than what users were charged.
 *
 * `written_off`: the service keeps it and no user pays. `estimates`: a charge was an estimate and its true cost
 * another. `under_way`: the service has moved its balance for what is not charged yet, or the other way round.
 * `credited`: money came onto the account. `not_ours`: somebody else spends from it.
 */
export const CAUSES = ['written_off', 'estimates', 'under_way', 'credited', 'not_ours'] as const

export type Cause = (typeof CAUSES)[number]

/** Micro-roubles of each; the balance fell by so much more than was charged. Their sum is the difference. */
export type Causes = Readonly<Record<Cause, bigint>>

/**
 * Finds what the difference between two readings comes from.
 *
 * What was written off is known. Of the rest estimates may explain as much as they come to, and what is under
 * way at either end as much as it may move; what neither can is somebody else's.
 */
export function explainDifference(from: BalanceReading, to: BalanceReading): Causes {
  const moved = from.balanceMicroRub - to.balanceMicroRub
  const charged = to.chargedMicroRub - from.chargedMicroRub
  const writtenOff = to.writtenOffMicroRub - from.writtenOffMicroRub
  const rest = moved - charged - writtenOff
  const estimated = absolute(to.estimatedMicroRub - from.estimatedMicroRub)
  const estimates = clamp(rest, -estimated, estimated)
  const underWay = clamp(
    rest - estimates,
    -(from.heldMicroRub + to.unsettledMicroRub),
    to.heldMicroRub + from.unsettledMicroRub,
  )
  const others = rest - estimates - underWay
  return {
    written_off: writtenOff,
    estimates,
    under_way: underWay,
    credited: others < 0n ? others : 0n,
    not_ours: others > 0n ? others : 0n,
  }
}

export function addCauses(one: Causes, other: Causes): Causes {
  return {
    written_off: one.written_off + other.written_off,
    estimates: one.estimates + other.estimates,
    under_way: one.under_way + other.under_way,
    credited: one.credited + other.credited,
    not_ours: one.not_ours + other.not_ours,
  }
}

export const NO_CAUSES: Causes = {
  written_off: 0n,
  estimates: 0n,
  under_way: 0n,
  credited: 0n,
  not_ours: 0n,
}

function clamp(value: bigint, min: bigint, max: bigint): bigint {
  if (value < min) return min
  return value > max ? max : value
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
