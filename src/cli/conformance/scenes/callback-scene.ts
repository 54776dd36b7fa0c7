import type { Clock } from '../../../platform/time/clock.ts'
import type { Arrival, Manner, Receiver } from '../receiver.ts'
import type { EndedTask } from './task-scenes.ts'

/** An attempt that is due comes within this of the one before, or of the task's end. */
const WATCH_MS = 20_000
const STEP_MS = 1_000

/** A task whose callbacks were treated in one manner, and the attempts that came. */
export interface CallbackScene extends EndedTask {
  arrivals: Arrival[]
}

/** Waits after a task's end until no callback of it can come any more. */
export async function watchCallbacks(
  task: EndedTask,
  manner: Manner,
  { receiver, clock }: { receiver: Receiver; clock: Clock },
): Promise<CallbackScene> {
  const arrived = () => receiver.arrivals.filter((arrival) => arrival.manner === manner)
  const begunAt = clock.now()
  const lastAt = () => Math.max(begunAt, ...arrived().map(({ atMs, cutAtMs = atMs }) => cutAtMs))
  while (task.end !== undefined && clock.now() - lastAt() < WATCH_MS) await clock.sleep(STEP_MS)
  return { ...task, arrivals: arrived() }
}
