import type { Clock } from '../../../platform/time/clock.ts'
import type { Arrival, Manner, Receiver } from '../receiver.ts'
import type { WireAnswer } from '../wire.ts'
import { once } from './once.ts'
import type { createTaskScenes, TaskScene } from './task-scenes.ts'

/** A callback that was taken is not sent again within this; the attempts are over by then, too. */
const WATCH_MS = 25_000
const STEP_MS = 1_000

/** A task whose callbacks were treated in one manner. */
export interface CallbackScene extends TaskScene {
  arrivals: Arrival[]
  /** A poll after the last attempt. */
  pollAfterAttempts: WireAnswer | undefined
}

/** Creates tasks whose callbacks go to the receiver, and waits until no more can come. */
export function createCallbackScene({
  tasks,
  receiver,
  clock,
  callbackUrl,
  path,
  body,
}: {
  tasks: ReturnType<typeof createTaskScenes>
  receiver: Receiver
  clock: Clock
  callbackUrl: string
  path: string
  body: Record<string, unknown>
}) {
  return {
    take: once(() => play('take')),
    refuse: once(() => play('refuse')),
    keepSilent: once(() => play('keep-silent')),
  }

  async function play(manner: Manner): Promise<CallbackScene> {
    const task = await tasks.follow(await tasks.create(path, body, `${callbackUrl}/${manner}`))
    const arrived = () => receiver.arrivals.filter((arrival) => arrival.manner === manner)
    const begunAt = clock.now()
    const isOver = () => task.end === undefined || clock.now() - begunAt >= WATCH_MS
    while (!isOver()) await clock.sleep(STEP_MS)
    const { taskId } = task
    const pollAfterAttempts = taskId === undefined ? undefined : await tasks.poll(taskId)
    return { ...task, arrivals: arrived(), pollAfterAttempts }
  }
}
