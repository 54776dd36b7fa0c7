import type { Clock } from '../../platform/time/clock.ts'

/** Waits as long as it takes for one more request to be within the limit, and counts it. */
export type Pace = () => Promise<void>

/** Keeps to so many requests in any span of so long. */
export function createPace(
  { max, spanMs }: { max: number; spanMs: number },
  clock: Pick<Clock, 'now' | 'sleep'>,
): Pace {
  let accepted: number[] = []
  return async () => {
    accepted = accepted.filter((at) => clock.now() - at < spanMs)
    const [first] = accepted
    if (first !== undefined && accepted.length >= max) {
      await clock.sleep(spanMs - (clock.now() - first))
      accepted.shift()
    }
    accepted.push(clock.now())
  }
}
