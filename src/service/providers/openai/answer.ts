import type { Dispatcher } from 'undici'
import { STREAM_DONE } from '../../../contract/chat.ts'
import { createEventReader } from '../../../http/event-reader.ts'
import type { HttpHeaders } from '../../../http/headers.ts'
import { type ProviderFailure, readBreak, readRefusal } from '../failure.ts'
import { isRejection } from '../judge-status.ts'
import {
  ProviderError,
  type ProviderErrorCode,
  type ProviderFinish,
  type ProviderUsage,
  type TakeDelta,
} from '../provider.ts'
import { SAID_BYTES_MAX, toSaid, type Unspeakable } from '../said.ts'
import { type OpenAiChunk, parseOpenAiChunk } from './chunk.ts'
import { createSilenceTimer } from './silence-timer.ts'

/** After `finish_reason` only usage and the end are left; no longer than this is waited for them. */
const TAIL_MS_MAX = 10_000

/** How long a connection may stay open after `[DONE]`. */
const END_MS_MAX = 1000

/** How long the text of a refusal is waited for. Its status has said enough. */
const REFUSAL_MS_MAX = 2000

const MESSAGES: Readonly<Record<ProviderErrorCode, string>> = {
  rejected: 'The model refused the request.',
  unavailable: 'The model is not available now.',
  broken: 'The model broke off its answer.',
}
const UNFINISHED: ProviderFailure = {
  kind: 'malformed',
  said: 'Cannot read completion: it ended unfinished',
}

export interface AnswerTimeouts {
  /** From the request to its first event, connecting included. Comments that keep a line open are no events. */
  firstByteMs: number
  /** Between one event and the next, while the taker is waiting for it. */
  silenceMs: number
}

/**
 * One streamed answer: what undici tells of its connection becomes deltas and one end.
 *
 * A delta is taken in the same tick in which its bytes were read, past undici's own stream and past any
 * iterator: they would cost more than the delta itself. While the taker is not ready, the connection is
 * paused, so no more is held than the bytes that were already read.
 */
export class OpenAiAnswer implements Dispatcher.DispatchHandler {
  /** Resolves when the answer is whole. Rejects as `ChatProvider.stream()` does. */
  readonly finish: Promise<ProviderFinish>

  readonly #take: TakeDelta
  readonly #unspeakable: () => Unspeakable
  readonly #silenceMs: number
  readonly #finish = Promise.withResolvers<ProviderFinish>()
  readonly #timer = createSilenceTimer((error) => this.#lose(error))
  readonly #reader = createEventReader()
  #connection: Dispatcher.DispatchController | undefined
  /** Events that were read while the taker was not ready; undefined while it is. */
  #waiting: readonly string[] | undefined
  /** What became of the connection meanwhile. */
  #afterWaiting: (() => void) | undefined
  /** What came of an answer that says no. */
  #refusal:
    | { status: number; headers: HttpHeaders; pieces: Uint8Array[]; bytes: number }
    | undefined
  #started = false
  #isOver = false
  #finishReason: string | undefined
  #usage: ProviderUsage | undefined

  /** @param unspeakable What no failure may say. */
  constructor({
    take,
    timeouts,
    unspeakable,
  }: {
    take: TakeDelta
    timeouts: AnswerTimeouts
    unspeakable: () => Unspeakable
  }) {
    this.finish = this.#finish.promise
    this.#take = take
    this.#unspeakable = unspeakable
    this.#silenceMs = timeouts.silenceMs
    this.#timer.begin(timeouts.firstByteMs)
  }

  /** Ends the answer at once, its connection closed. `finish` rejects with the reason, as it is. */
  abort(reason: unknown): void {
    if (this.#isOver) return
    this.#close()
    this.#finish.reject(reason)
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection
    // Before there was a connection nothing could be aborted.
    if (this.#isOver) this.#close()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status <= 200 || this.#isOver) return
    this.#refusal = { status, headers, pieces: [], bytes: 0 }
    this.#timer.begin(REFUSAL_MS_MAX)
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#isOver) return
    if (this.#refusal !== undefined) {
      this.#readRefusal(bytes)
      return
    }
    const events = this.#reader.read(bytes)
    if (events.length > 0) this.#read(events)
    if (this.#reader.isOverfull()) this.#onceRead(() => this.#endWithoutDone(UNFINISHED))
  }

  onResponseEnd(): void {
    this.#connectionIsGone()
    this.#onceRead(() => this.#endWithoutDone(UNFINISHED))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connectionIsGone()
    this.#onceRead(() => this.#endWithoutDone(readBreak(error, this.#unspeakable())))
  }

  #readRefusal(bytes: Uint8Array): void {
    const refusal = this.#refusal
    if (refusal === undefined) return
    refusal.pieces.push(bytes.subarray(0, SAID_BYTES_MAX - refusal.bytes))
    refusal.bytes += bytes.byteLength
    if (refusal.bytes >= SAID_BYTES_MAX) this.#endWithoutDone(UNFINISHED)
  }

  #read(events: readonly string[]): void {
    this.#timer.end()
    for (let index = 0; index < events.length; index += 1) {
      const ready = this.#readEvent(events[index] ?? '')
      if (this.#isOver) return
      if (ready === undefined) continue
      this.#waitFor(ready, events.slice(index + 1))
      return
    }
    const isTail = this.#finishReason !== undefined
    this.#timer.begin(isTail ? Math.min(this.#silenceMs, TAIL_MS_MAX) : this.#silenceMs)
  }

  #readEvent(data: string): Promise<void> | undefined {
    if (data === STREAM_DONE) {
      this.#succeed(this.#finishReason ?? 'stop')
      return undefined
    }
    let chunk: OpenAiChunk
    try {
      chunk = parseOpenAiChunk(data)
    } catch (error) {
      this.#fail({ kind: 'malformed', said: (error as Error).message })
      return undefined
    }
    if (chunk.failure !== undefined) {
      const { isRejected, kind } = chunk.failure
      const said = toSaid(data.slice(0, SAID_BYTES_MAX), this.#unspeakable())
      this.#fail({ kind, said }, isRejected)
      return undefined
    }
    this.#finishReason ??= chunk.finishReason
    // Usage comes once after finish_reason, or in every chunk as a running total: the last is the true one.
    this.#usage = chunk.usage ?? this.#usage
    if (chunk.text === '') return undefined
    this.#started = true
    return this.#take(chunk.text)
  }

  #waitFor(ready: Promise<void>, rest: readonly string[]): void {
    this.#waiting = rest
    this.#connection?.pause()
    ready.then(
      () => this.#goOn(rest),
      (error) => this.abort(error),
    )
  }

  #goOn(rest: readonly string[]): void {
    if (this.#isOver) return
    this.#waiting = undefined
    this.#read(rest)
    if (this.#waiting !== undefined) return
    this.#afterWaiting?.()
    this.#connection?.resume()
  }

  /** What was read before the connection ended comes before its end. */
  #onceRead(end: () => void): void {
    if (this.#isOver) return
    if (this.#waiting === undefined) end()
    else this.#afterWaiting = end
  }

  /** After `finish_reason` everything was said, so that a connection that fails is only an end. */
  #endWithoutDone(failure: ProviderFailure): void {
    if (this.#isOver) return
    if (this.#refusal !== undefined) {
      const { status, headers, pieces } = this.#refusal
      const refusal = { status, headers, body: Buffer.concat(pieces) }
      this.#fail(readRefusal(refusal, this.#unspeakable()), isRejection(status))
      return
    }
    if (this.#finishReason === undefined) {
      this.#fail(failure)
      return
    }
    this.#close()
    this.#succeed(this.#finishReason)
  }

  #succeed(finishReason: string): void {
    this.#isOver = true
    // After [DONE] it may end by itself: the provider sees no reader leave, and it serves again.
    if (this.#connection !== undefined) this.#timer.begin(END_MS_MAX)
    const usage = this.#usage
    this.#finish.resolve({ finishReason, ...(usage !== undefined && { usage }) })
  }

  /** After the first delta every failure is `broken`. */
  #fail(failure: ProviderFailure, isRejected = false): void {
    if (this.#isOver) return
    this.#close()
    const before = isRejected ? 'rejected' : 'unavailable'
    const code = this.#started ? 'broken' : before
    this.#finish.reject(new ProviderError(code, MESSAGES[code], { failure }))
  }

  #lose(error: Error): void {
    if (this.#isOver) this.#close()
    else this.#endWithoutDone({ kind: 'timed_out', said: error.message })
  }

  #close(): void {
    this.#isOver = true
    this.#timer.stop()
    this.#connection?.abort(new Error('The answer has no reader any more'))
    this.#connection = undefined
  }

  #connectionIsGone(): void {
    this.#connection = undefined
    if (this.#isOver) this.#timer.stop()
  }
}
