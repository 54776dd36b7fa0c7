import { backoffMs } from '../../../time/backoff.ts'
import { FormattingRefusedError } from '../errors.ts'
import { type CallFailure, type Refusal, readFailure } from '../failures.ts'
import type { QueuedCall, Rest } from '../pacing/chat-queue.ts'
import type { SendScheduler } from '../pacing/send-scheduler.ts'

const BACKOFF = { firstMs: 1000, maxMs: 30_000 }

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

/** A failure that says nothing about the call itself: a 429, no connection, no answer. */
export interface CallTrouble {
  chatId: number
  key: string
  failure: Exclude<CallFailure, Refusal>
}

/**
 * Calls to chats on one scheduler, and which of their failures are waited out.
 *
 * @param onTrouble Told of what is waited out, and of the rest that is no refusal.
 */
export function createChatCalls(
  scheduler: SendScheduler,
  onTrouble: (trouble: CallTrouble) => void,
) {
  return { arrive, tryOnce }

  /**
   * Makes the call in its turn and as often as it takes. Only the signal ends it early.
   *
   * @param call.isRepeatable Whether doing it twice is as good as doing it once.
   * @throws What `onFailure` threw, or the signal's reason.
   */
  function arrive<T>(call: ChatCall<T> & { isRepeatable?: boolean }): Promise<T> {
    const { chatId, signal, isRepeatable = false } = call
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let attempts = 0
    // What may be done twice changes what stands in the chat already.
    const urgency = isRepeatable ? 'final' : 'new'
    const job: QueuedCall = {
      urgency,
      key: call.key,
      attempt,
      onDrop: () => {},
    }
    // What is on its way to Telegram is heard out: its answer may be all there is to know it by.
    const abort = () => {
      if (scheduler.remove(chatId, job)) reject(signal?.reason)
    }
    if (signal?.aborted) abort()
    else scheduler.add(chatId, job)
    signal?.addEventListener('abort', abort, { once: true })
    return promise.finally(() => signal?.removeEventListener('abort', abort))

    async function attempt(): Promise<Rest | undefined> {
      try {
        resolve(await call.attempt())
      } catch (error) {
        try {
          signal?.throwIfAborted()
          const failure = read(error, call)
          attempts++
          const pause = pauseAfter(failure, { isRepeatable, attempts })
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
   * @param isFirst Whether nothing of what it shows is seen yet.
   * @param findOutcome Asked when its turn comes: where there is an outcome the call is not made.
   * @throws {FormattingRefusedError} Nothing else: only what was made of the text can be mended.
   */
  function tryOnce<T>(
    call: ChatCall<T>,
    { isFirst, findOutcome }: { isFirst?: boolean; findOutcome?: () => T | undefined } = {},
  ): Promise<T | 'dropped'> {
    const { chatId, signal } = call
    const { promise, resolve, reject } = Promise.withResolvers<T | 'dropped'>()
    const onDrop = () => resolve('dropped')
    const job: QueuedCall = {
      urgency: 'interim',
      isFirst,
      key: call.key,
      attempt,
      onDrop,
      endEarly,
    }
    const abort = () => {
      scheduler.remove(chatId, job)
      onDrop()
    }
    if (signal?.aborted) abort()
    else scheduler.add(chatId, job)
    signal?.addEventListener('abort', abort, { once: true })
    return promise.finally(() => signal?.removeEventListener('abort', abort))

    function endEarly(): boolean {
      const outcome = findOutcome?.()
      if (outcome !== undefined) resolve(outcome)
      return outcome !== undefined
    }

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
        const failure = read(error, call)
        const pause = pauseAfter(failure, { isRepeatable: true, attempts: 1 })
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

  function read(error: unknown, { chatId, key }: Pick<CallTrouble, 'chatId' | 'key'>): CallFailure {
    const failure = readFailure(error)
    if (failure.type !== 'refused') onTrouble({ chatId, key, failure })
    return failure
  }
}

function pauseAfter(
  failure: CallFailure,
  { isRepeatable, attempts }: { isRepeatable: boolean; attempts: number },
): Rest | undefined {
  if (failure.type === 'flooded') return { restMs: failure.retryAfterMs, isFlood: true }
  const isRetried = failure.type === 'not_sent' || (failure.type === 'unknown' && isRepeatable)
  if (!isRetried) return undefined
  return { restMs: backoffMs(BACKOFF, attempts), isFlood: false }
}
