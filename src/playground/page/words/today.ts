import { signal } from '@preact/signals'

const DAY_MS = 86_400_000
const CHECK_MS = 60_000

/** When this day began, by the clock of this machine. */
const today = signal(startOfDay(new Date()))

/** Follows the clock over midnight, also one that stood still while the machine slept. */
export function followToday(): void {
  setInterval(() => {
    today.value = startOfDay(new Date())
  }, CHECK_MS)
}

/** How many days ago a moment was: 0 is today, 1 yesterday. */
export function daysAgo(unixSeconds: number): number {
  // Days on which the clocks change are an hour shorter or longer.
  return Math.round((today.value - startOfDay(new Date(unixSeconds * 1000))) / DAY_MS)
}

function startOfDay(moment: Date): number {
  return new Date(moment).setHours(0, 0, 0, 0)
}
