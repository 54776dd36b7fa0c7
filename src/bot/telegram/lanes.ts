import type { Clock } from './clock.ts'
import { FormattingRefusedError } from './errors.ts'
import { type CallFailure, readFailure } from './failures.ts'
import { createLane, type Lane, type LaneJob, type Rest } from './lane.ts'

/** Beyond this many, chats that nothing happens in are forgotten. */
const LANES_MAX = 1000

const RETRY_DELAY_MS = 1000
const RETRY_DELAY_MS_MAX = 30_000

/** A call to a chat and what its failures mean. */
export interface ChatCall<T> {
  chatId: number
  key: string
  signal?: AbortSignal | undefined
  /** Makes the call; throws what grammY throws. */
  attempt(): Promise<T>
  /**
   * Makes an outcome of a failure, or throws. Never asked about a flood, about a connection that was
   * not made, or, if the call is repeatable, about an unknown outcome: those are waited out.
   */
  onFailure(failure: CallFailure): T
}

/** The lanes of all chats. */
export function createLanes(clock: Clock) {
  const lanes = new Map<number, Lane>()
  return { arrive, tryOnce, isBusy, rest }

  /**
   * Makes the call in its turn and as often as it takes. Only the signal ends it early.
   *
   * @param call.isRepeatable Whether doing it twice is as good as doing it once.
   * @throws What `onFailure` threw, or the signal's reason.
   */
  function arrive<T>(call: ChatCall<T> & { isRepeatable?: boolean }): Promise<T> {
    const { signal, isRepeatable = false } = call
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let attempts = 0
    const job: LaneJob = { interim: false, key: call.key, attempt, onDrop: () => {} }
    const lane = laneOf(call.chatId)
    // What is on its way to Telegram is heard out: its answer may be all there is to know it by.
    const abort = () => {
      if (lane.remove(job)) reject(signal?.reason)
    }
    if (signal?.aborted) abort()
    else lane.add(job)
    signal?.addEventListener('abort', abort, { once: true })
    return promise.finally(() => signal?.removeEventListener('abort', abort))

    async function attempt(): Promise<Rest | undefined> {
      try {
        resolve(await call.attempt())
      } catch (error) {
        try {
          signal?.throwIfAborted()
          const failure = readFailure(error)
          const pause = pauseAfter(failure, { isRepeatable, attempts })
          attempts++
          if (pause !== undefined) return pause
          resolve(call.onFailure(failure))
        } catch (reason) {
          reject(reason)
        }
      }
      return undefined
    }
  }

  /**
   * Makes the call at most once, when there is room. What fails is dropped.
   *
   * @throws {FormattingRefusedError} Nothing else: only what was made of the text can be mended.
   */
  function tryOnce<T>(call: ChatCall<T>): Promise<T | 'dropped'> {
    const { signal } = call
    const { promise, resolve, reject } = Promise.withResolvers<T | 'dropped'>()
    const onDrop = () => resolve('dropped')
    const job: LaneJob = { interim: true, key: call.key, attempt, onDrop }
    const lane = laneOf(call.chatId)
    const abort = () => {
      lane.remove(job)
      onDrop()
    }
    if (signal?.aborted) abort()
    else lane.add(job)
    signal?.addEventListener('abort', abort, { once: true })
    return promise.finally(() => signal?.removeEventListener('abort', abort))

    async function attempt(): Promise<Rest | undefined> {
      try {
        resolve(await call.attempt())
        return undefined
      } catch (error) {
        return settle(error)
      }
    }

    function settle(error: unknown): Rest | undefined {
      try {
        const failure = readFailure(error)
        const pause = pauseAfter(failure, { isRepeatable: true, attempts: 0 })
        resolve(pause === undefined ? call.onFailure(failure) : 'dropped')
        return pause
      } catch (reason) {
        // Whatever else is wrong will be told again by a call that must arrive.
        if (reason instanceof FormattingRefusedError) reject(reason)
        else resolve('dropped')
        return undefined
      }
    }
  }

  function isBusy(chatId: number): boolean {
    return lanes.get(chatId)?.isBusy() ?? false
  }

  function rest(chatId: number, restMs: number): void {
    laneOf(chatId).rest({ restMs, isFlood: true })
  }

  function laneOf(chatId: number): Lane {
    const known = lanes.get(chatId)
    if (known !== undefined) return known
    if (lanes.size >= LANES_MAX) {
      for (const [id, lane] of lanes) if (lane.isForgettable()) lanes.delete(id)
    }
    const lane = createLane(clock)
    lanes.set(chatId, lane)
    return lane
  }
}

function pauseAfter(
  failure: CallFailure,
  { isRepeatable, attempts }: { isRepeatable: boolean; attempts: number },
): Rest | undefined {
  if (failure.type === 'flooded') return { restMs: failure.retryAfterMs, isFlood: true }
  const isRetried = failure.type === 'not_sent' || (failure.type === 'unknown' && isRepeatable)
  if (!isRetried) return undefined
  return { restMs: Math.min(RETRY_DELAY_MS * 2 ** attempts, RETRY_DELAY_MS_MAX), isFlood: false }
}
