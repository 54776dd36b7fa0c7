import type { Checkout } from '../../checkout.ts'

/** The reservations of one contender. */
export interface ReservationsOf {
  name: string
  checkout: Checkout
  /** Its database, with the limits that are to be judged. */
  databaseUrl: string
}

/** The reservations that a loop is to take, of the contenders by turns. */
export interface ReservationsTask {
  contenders: readonly ReservationsOf[]
  /** They ask by turns. */
  userIds: readonly number[]
  atOnce: number
  slices: number
  sliceMs: number
}

/** How long the reservations of a contender took, without the warm-up. */
export interface ReservationsFigures {
  count: number
  medianMs: number
  p99Ms: number
}
