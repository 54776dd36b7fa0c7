import { STREAM_DONE } from '../../../contract/chat.ts'
import { createEventReader } from '../../../platform/http/event-reader.ts'
import { EXPLANATION_BYTES_MAX, toExplanation } from '../explanation.ts'
import type { ProviderFailure } from '../failure.ts'
import type { ProviderFinish, TakeDelta, Usage } from '../provider.ts'
import { OpenAiAnswer, UNFINISHED, type UpstreamAnswerOptions } from './answer.ts'
import { type OpenAiChunk, parseOpenAiChunk } from './chunk.ts'

/** After `finish_reason` only usage and the end are left; no longer than this is waited for them. */
const TAIL_MS_MAX = 10_000

/** How long a connection may stay open after `[DONE]`. */
const END_MS_MAX = 1000

export interface StreamedAnswerOptions extends UpstreamAnswerOptions {
  take: TakeDelta
  /** Between one event and the next, while the taker is waiting for it. Comments are no events. */
  silenceMs: number
}

/**
 * One streamed answer: its bytes become deltas and one end.
 *
 * A delta is taken in the same tick in which its bytes were read, past any iterator: it would cost more than
 * the delta itself. While the taker is not ready, the connection is paused, so no more is held than the bytes
 * that were already read.
 */
export class StreamedAnswer extends OpenAiAnswer<ProviderFinish> {
  readonly #take: TakeDelta
  readonly #silenceMs: number
  readonly #reader = createEventReader()
  #waiting: readonly string[] | undefined
  #afterWaiting: (() => void) | undefined
  #finishReason: string | undefined
  #usage: Usage | undefined

  constructor({ take, silenceMs, firstMs, unspeakable, onTaken }: StreamedAnswerOptions) {
    super({ firstMs, unspeakable, onTaken })
    this.#take = take
    this.#silenceMs = silenceMs
  }

  protected override read(bytes: Uint8Array): void {
    const events = this.#reader.read(bytes)
    if (events.length > 0) this.#readEvents(events)
    if (this.#reader.isOverfull()) this.end()
  }

  protected override end(failure: ProviderFailure = UNFINISHED): void {
    if (this.isOver) return
    if (this.#waiting === undefined) this.#endWithoutDone(failure)
    else this.#afterWaiting = () => this.#endWithoutDone(failure)
  }

  #readEvents(events: readonly string[]): void {
    this.timer.end()
    for (let index = 0; index < events.length; index += 1) {
      const ready = this.#readEvent(events[index] ?? '')
      if (this.isOver) return
      if (ready === undefined) continue
      this.#waitFor(ready, events.slice(index + 1))
      return
    }
    const isTail = this.#finishReason !== undefined
    this.timer.begin(isTail ? Math.min(this.#silenceMs, TAIL_MS_MAX) : this.#silenceMs)
  }

  #readEvent(data: string): Promise<void> | undefined {
    if (data === STREAM_DONE) {
      this.#finish(this.#finishReason ?? 'stop')
      return undefined
    }
    let chunk: OpenAiChunk
    try {
      chunk = parseOpenAiChunk(data)
    } catch (error) {
      this.fail({ kind: 'malformed', explanation: (error as Error).message })
      return undefined
    }
    if (chunk.failure !== undefined) {
      const { isRejected, kind } = chunk.failure
      const explanation = toExplanation(data.slice(0, EXPLANATION_BYTES_MAX), this.unspeakable())
      this.fail({ kind, explanation }, isRejected)
      return undefined
    }
    this.#finishReason ??= chunk.finishReason
    // Usage comes once after finish_reason, or in every chunk as a running total: the last is the true one.
    this.#usage = chunk.usage ?? this.#usage
    if (chunk.piece === undefined) return undefined
    this.isHandedOn = true
    return this.#take(chunk.piece)
  }

  #waitFor(ready: Promise<void>, rest: readonly string[]): void {
    this.#waiting = rest
    this.connection?.pause()
    ready.then(
      () => this.#goOn(rest),
      (error) => this.abort(error),
    )
  }

  #goOn(rest: readonly string[]): void {
    if (this.isOver) return
    this.#waiting = undefined
    this.#readEvents(rest)
    if (this.#waiting !== undefined) return
    this.#afterWaiting?.()
    this.connection?.resume()
  }

  /** After `finish_reason` the text is complete, so that a connection that fails is only an end. */
  #endWithoutDone(failure: ProviderFailure): void {
    if (this.isOver) return
    if (this.#finishReason === undefined) {
      this.fail(failure)
      return
    }
    this.close()
    this.#finish(this.#finishReason)
  }

  #finish(finishReason: string): void {
    // After [DONE] it may end by itself: the provider sees no reader leave, and it serves again.
    if (this.connection !== undefined) this.timer.begin(END_MS_MAX)
    const usage = this.#usage
    this.succeed({ finishReason, ...(usage !== undefined && { usage }) })
  }
}
