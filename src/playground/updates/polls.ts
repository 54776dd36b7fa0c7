import type { Update } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'
import { conflict, refusal } from '../wire/envelope.ts'
import type { UpdateQueue } from './update-queue.ts'

/** Long polling: at most one poll waits, a newer one ends it with a conflict. */
export function createPolls(deps: { queue: UpdateQueue; clock: Clock; closing: AbortSignal }) {
  const { queue, clock, closing } = deps
  let waiting: PromiseWithResolvers<void> | undefined
  // Updates that come in one breath leave in one answer.
  queue.listen(() => waiting && setImmediate(waiting.resolve))
  return { poll, end }

  /** Answers at once if there are updates or `timeoutS` is 0, else waits for the first one. */
  async function poll(asked: {
    offset: number
    limit: number
    timeoutS: number
  }): Promise<Update[]> {
    const { offset, limit, timeoutS } = asked
    const ready = queue.take(offset, limit)
    if (ready.length > 0 || timeoutS === 0) return ready
    waiting?.reject(conflict())
    await untilWoken(timeoutS * 1000)
    return queue.take(offset, limit)
  }

  function end(): void {
    waiting?.reject(refusal(409, 'terminated by setWebhook request'))
  }

  async function untilWoken(timeoutMs: number): Promise<void> {
    const current = Promise.withResolvers<void>()
    const ended = new AbortController()
    waiting = current
    const signal = AbortSignal.any([ended.signal, closing])
    clock.sleep(timeoutMs, signal).then(current.resolve, current.reject)
    try {
      await current.promise
    } finally {
      ended.abort()
      if (waiting === current) waiting = undefined
    }
  }
}

export type Polls = ReturnType<typeof createPolls>
