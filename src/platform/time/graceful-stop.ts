import { type Clock, systemClock } from './clock.ts'

const ABORT_MS_MAX = 1000

/** Waits for the end of all work, at most for `timeoutMs`. @returns Whether it has ended. */
export async function settleWithin(
  running: Iterable<unknown>,
  timeoutMs: number,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<boolean> {
  const waiting = new AbortController()
  const ended = Promise.allSettled(running).then(() => true)
  const late = clock
    .sleep(timeoutMs, waiting.signal)
    .catch(() => {})
    .then(() => false)
  return Promise.race([ended, late]).finally(() => waiting.abort('ended'))
}

/** Lets running work end by itself for `timeoutMs`, then aborts it and waits a moment for its end. */
export async function stopGracefully(
  running: Iterable<unknown>,
  {
    timeoutMs,
    stopping,
    clock = systemClock,
  }: { timeoutMs: number; stopping: AbortController; clock?: Pick<Clock, 'sleep'> },
): Promise<void> {
  const work = [...running]
  await settleWithin(work, timeoutMs, clock)
  stopping.abort(new Error('The process is stopping'))
  await settleWithin(work, ABORT_MS_MAX, clock)
}
