import type { Clock } from './clock.ts'

/** How many milliseconds old something is now. */
export type Age = () => number

/**
 * An age that the database has just given, and that grows from then on by the monotonic clock: no date of
 * this machine has a part in it.
 */
export function growAge(ageMs: number, clock: Pick<Clock, 'now'>): Age {
  const readAt = clock.now()
  return () => ageMs + clock.now() - readAt
}
