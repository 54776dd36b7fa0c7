import type { Clock } from './clock.ts'

/** How many milliseconds old something is now. */
export type Age = () => number

/** Grows an age that the database has just returned by the monotonic clock, without a date of this machine. */
export function growAge(ageMs: number, clock: Pick<Clock, 'now'>): Age {
  const readAt = clock.now()
  return () => ageMs + clock.now() - readAt
}
