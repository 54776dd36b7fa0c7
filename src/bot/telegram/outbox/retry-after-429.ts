import { backoffMs } from '../../../platform/time/retry.ts'
import { type CallFailure, type CallRefusal, readFailure } from '../failures.ts'
import type { Pause, QueuedCall } from '../pacing/chat-queue.ts'
import type { SendScheduler } from '../pacing/send-scheduler.ts'

const BACKOFF = { firstMs: 1000, maxMs: 30_000 }

/** A call to a chat and what its failures mean. */
export interface ChatCall<T> {
  chatId: number
  key: string
  signal?: AbortSignal | undefined
  attempt(): Promise<T>
  /**
   * Makes an outcome of a failure, or throws. Never asked about a flood wait, about a connection that
   * was not made, or, if the call is repeatable, about an unknown outcome: those are waited out.
   */
  onFailure(failure: CallFailure): T | Promise<T>
  onNothingDone?: (() => Promise<void>) | undefined
}

/** A call that arrives. */
export interface ArrivingCall<T> extends ChatCall<T> {
  isRepeatable?: boolean
  /**
   * The keys of waiting calls that it makes superfluous, itself being one that others may. What took the place of a
   * call ends it, too, with the same outcome; if that was not done, the call is made after all.
   */
  replaces?: readonly string[] | undefined
  /** Asked when its turn comes: where there is an outcome the call is not made. */
  findOutcome?: () => T | undefined
}

/** How a call is made that need not arrive. */
export interface DroppableOptions<T> {
  urgency: 'answer' | 'interim' | 'typing'
  findOutcome?: () => T | undefined
}

/** A failure that says nothing about the call itself: a 429, no connection, no answer. */
export interface CallTrouble {
  chatId: number
  key: string
  failure: Exclude<CallFailure, CallRefusal>
}

/**
 * Makes calls in their turns and reads what became of them: here, and nowhere else, a 429 becomes a
 * flood wait, and the call is made again after it.
 *
 * @param onTrouble Called with every failure that is no refusal.
 */
export function createChatCalls(
  scheduler: SendScheduler,
  onTrouble: (trouble: CallTrouble) => void,
) {
  return { arrive, tryOnce }

  /**
   * Only the signal ends it early.
   *
   * @throws What `onFailure` threw, or the signal's reason.
   */
  function arrive<T>(call: ArrivingCall<T>): Promise<T> {
    const { signal, isRepeatable = false, replaces } = call
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let attempts = 0
    // What may be done twice changes what stands in the chat already.
    const urgency = isRepeatable ? 'final' : 'new'
    const queued: QueuedCall = {
      chatId: call.chatId,
      key: call.key,
      urgency,
      attempt,
      onDrop: () => {},
      endEarly,
      state: replaces && { replaces, ended: promise, onReplaced },
    }
    // A call on its way to Telegram is heard out: its answer may be all there is to know it by.
    const onAbort = () => scheduler.remove(queued) && reject(signal?.reason)
    return enqueue(queued, { signal, onAbort }, promise)

    function onReplaced(newerEnded: Promise<unknown>): void {
      newerEnded.then(
        // Calls that replace each other have the same outcomes.
        (outcome) => resolve(outcome as T),
        () => {
          if (!signal?.aborted) scheduler.add(queued)
        },
      )
    }

    function endEarly(): boolean {
      try {
        const outcome = call.findOutcome?.()
        if (outcome !== undefined) resolve(outcome)
        return outcome !== undefined
      } catch (reason) {
        reject(reason)
        return true
      }
    }

    async function attempt(): Promise<Pause | undefined> {
      try {
        resolve(await call.attempt())
      } catch (error) {
        try {
          signal?.throwIfAborted()
          const failure = read(error, call)
          if (failure.type !== 'unknown') await call.onNothingDone?.()
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
   * Makes the call when there is room, and drops what gets no answer. An answer to a button alone is tried
   * again, for as long as `findOutcome` finds none.
   *
   * @throws What `onFailure` threw: what Telegram refuses, it refuses again.
   */
  function tryOnce<T>(
    call: ChatCall<T>,
    { urgency, findOutcome }: DroppableOptions<T>,
  ): Promise<T | 'dropped'> {
    const { promise, resolve, reject } = Promise.withResolvers<T | 'dropped'>()
    const onDrop = () => resolve('dropped')
    const queued = {
      chatId: call.chatId,
      key: call.key,
      urgency,
      attempt,
      onDrop,
      endEarly,
    }
    const onAbort = () => {
      scheduler.remove(queued)
      onDrop()
    }
    return enqueue(queued, { signal: call.signal, onAbort }, promise)

    function endEarly(): boolean {
      const outcome = findOutcome?.()
      if (outcome !== undefined) resolve(outcome)
      return outcome !== undefined
    }

    async function attempt(): Promise<Pause | undefined> {
      try {
        resolve(await call.attempt())
      } catch (error) {
        try {
          const failure = read(error, call)
          const pause = pauseAfter(failure, { isRepeatable: true, attempts: 1 })
          if (pause === undefined) refuse(failure)
          else if (urgency !== 'answer') onDrop()
          return pause
        } catch {
          // It was given up, or a mistake of the program: a call that must arrive throws that.
          onDrop()
        }
      }
      return undefined
    }

    function refuse(failure: CallFailure): void {
      try {
        resolve(call.onFailure(failure))
      } catch (reason) {
        reject(reason)
      }
    }
  }

  function enqueue<T>(
    queued: QueuedCall,
    { signal, onAbort }: { signal: AbortSignal | undefined; onAbort: () => void },
    promise: Promise<T>,
  ): Promise<T> {
    if (signal?.aborted) onAbort()
    else scheduler.add(queued)
    signal?.addEventListener('abort', onAbort, { once: true })
    return promise.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  function read(error: unknown, { chatId, key }: ChatCall<unknown>): CallFailure {
    const failure = readFailure(error)
    if (failure.type !== 'refused') onTrouble({ chatId, key, failure })
    return failure
  }
}

export type ChatCalls = ReturnType<typeof createChatCalls>

function pauseAfter(
  failure: CallFailure,
  { isRepeatable, attempts }: { isRepeatable: boolean; attempts: number },
): Pause | undefined {
  if (failure.type === 'flooded') return { retryAfterMs: failure.retryAfterMs, isFlood: true }
  const isRetried = failure.type === 'not_sent' || (failure.type === 'unknown' && isRepeatable)
  if (!isRetried) return undefined
  return { retryAfterMs: backoffMs(BACKOFF, attempts), isFlood: false }
}
