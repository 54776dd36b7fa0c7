/** Creations under way at once: one that hangs must not hold up the others. */
const AT_ONCE_MAX = 3

export interface SubmissionQueueDeps<T> {
  /** Takes the first in line; undefined when nobody waits. */
  takeNext: () => Promise<T | undefined>
  /** Tries to hand it over, and closes the line where the service takes none. Never rejects. */
  submit: (order: T) => Promise<void>
  now: () => number
}

/** The line in which orders wait for the service: first come, first served, by all users of the key. */
export interface SubmissionQueue {
  /** Goes on with the line unless it has to wait. Safe to call at any time. */
  kick(): void
  /** The instant until which the service takes no order; in the past, or 0, if it does. */
  waitsUntil(): number
  /** Closes the line until an instant; a later one counts. */
  wait(untilAt: number): void
  /** Takes no more. Resolves when those under way are handed over. */
  stop(): Promise<void>
}

export function createSubmissionQueue<T>({
  takeNext,
  submit,
  now,
}: SubmissionQueueDeps<T>): SubmissionQueue {
  const running = new Set<Promise<void>>()
  let waitsUntil = 0
  let isStopped = false
  return {
    kick,
    waitsUntil: () => waitsUntil,
    wait,
    async stop() {
      isStopped = true
      await Promise.all(running)
    },
  }

  function kick(): void {
    if (isStopped || running.size >= AT_ONCE_MAX || now() < waitsUntil) return
    const run = handOver().finally(() => running.delete(run))
    running.add(run)
  }

  function wait(untilAt: number): void {
    waitsUntil = Math.max(waitsUntil, untilAt)
  }

  async function handOver(): Promise<void> {
    while (!isStopped && now() >= waitsUntil) {
      const order = await takeNext()
      if (order === undefined) return
      // While this one is under way another may be handed over.
      kick()
      await submit(order)
    }
  }
}
