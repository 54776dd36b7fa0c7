import { formatRub } from '../../../contract/money.ts'

/** How many micro-roubles there are in a unit of so many places. */
const unitOf = (places: number) => 10n ** BigInt(6 - places)

/**
 * Whether a cost is what was calculated, rounded to any number of places from kopecks on, in any direction: the
 * interface does not say how a cost is rounded.
 *
 * @param exactTrillionths Millionths of a micro-rouble, since a price is per million tokens.
 */
export function isRoundingOf(costMicroRub: bigint, exactTrillionths: bigint): boolean {
  return [6, 5, 4, 3, 2].some((places) => {
    const unit = unitOf(places)
    const difference = costMicroRub * 1_000_000n - exactTrillionths
    const isWithin = (difference < 0n ? -difference : difference) < unit * 1_000_000n
    return costMicroRub % unit === 0n && isWithin
  })
}

/** Whether all sums are whole kopecks: a service may show its balance so and calculate with more places. */
export function areKopecks(sums: readonly bigint[]): boolean {
  return sums.every((sum) => sum % unitOf(2) === 0n)
}

/** Writes a sum with its unit. */
export const inRoubles = (microRub: bigint) => `${formatRub(microRub)} RUB`
