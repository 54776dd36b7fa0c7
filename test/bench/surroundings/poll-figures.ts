/** A poll within so long after it was due is in time. */
export const PUNCTUAL_MS = 1_000

/** How tasks were polled, as their service saw it. */
export interface PollFigures {
  /** The number of tasks that were polled at all. */
  tasks: number
  polls: number
  /** Polls within `PUNCTUAL_MS` after they were due. */
  punctual: number
  /** The shortest time between two polls of one task. */
  closestMs: number
}
