import type { EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import { STREAM_DONE } from '../../../contract/chat.ts'
import { createEventReader } from '../../../platform/http/event-reader.ts'
import type { HttpHeaders } from '../../../platform/http/exchange.ts'
import { EXPLANATION_BYTES_MAX, toExplanation, type Unspeakable } from '../explanation.ts'
import { isAboutRequest, type ProviderFailure, readBreak, readRefusal } from '../failure.ts'
import {
  type AnswerPiece,
  ProviderError,
  type ProviderErrorCode,
  type ProviderFinish,
  type TakeDelta,
} from '../provider.ts'
import { AnswerReader } from './reader.ts'
import { isTooLong } from './request-form.ts'
import { createSilenceTimer } from './silence-timer.ts'

/** How long the text of a refusal is waited for. Its status says enough. */
const REFUSAL_MS_MAX = 2000
/** After `finish_reason` only usage and the end are left; no longer than this is waited for them. */
const TAIL_MS_MAX = 10_000
/** How long a connection may stay open after `[DONE]`. */
const END_MS_MAX = 1000
/** Longest answer in one JSON body. A model's longest text, with what it thought before, is far below it. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024

/** What callers read of a failure. */
export const MESSAGES: Readonly<Record<ProviderErrorCode, string>> = {
  rejected: 'The model refused the request.',
  unavailable: 'The model is not available now.',
  broken: 'The model broke off its answer.',
}

const UNFINISHED: ProviderFailure = {
  kind: 'malformed',
  explanation: 'Cannot read answer: it ended unfinished',
}

/** Blanks and the byte order mark, which may stand before JSON. */
const BLANK_BYTES: ReadonlySet<number> = new Set(Buffer.from('\ufeff \t\r\n'))
const JSON_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('{['))

export interface OpenAiAnswerOptions {
  take: TakeDelta
  /** True if nothing that was taken is handed on before the end, so that no failure is `broken`. */
  isPlain: boolean
  /** Until the first event or the whole JSON body, connecting included. */
  firstMs: number
  /** Between one event and the next, while the taker is waiting for it. Comments are no events. */
  silenceMs: number
  unspeakable: () => Unspeakable
  /** Called when the upstream has taken the request: with the head of an answer that is no refusal. */
  onTaken: () => void
}

/**
 * One answer of an upstream, as undici reports its connection: events or one JSON body, whichever was asked for.
 *
 * It goes past undici's own stream, which would cost more than all that is done with the bytes. A delta is taken in the
 * same tick in which its bytes were read. While the taker is not ready the connection is paused, so no more is held
 * than the bytes that were already read.
 */
export class OpenAiAnswer implements Dispatcher.DispatchHandler {
  readonly whole: Promise<ProviderFinish>
  /** The refusal that it ended with: for the program alone, it may quote anything. */
  refusal: { status: number; headers: HttpHeaders; body: Buffer } | undefined

  readonly #options: OpenAiAnswerOptions
  readonly #whole = Promise.withResolvers<ProviderFinish>()
  readonly #timer = createSilenceTimer((error) => this.#lose(error))
  readonly #events = createEventReader()
  readonly #reader = new AnswerReader()
  #connection: Dispatcher.DispatchController | undefined
  #isEvents: boolean | undefined
  /** A JSON body or a refusal. */
  #pieces: Uint8Array[] = []
  #bytes = 0
  #queue: readonly EventSourceMessage[] = []
  #isWaiting = false
  #isOver = false
  #isHandedOn = false
  /** `done`: the provider said so. Otherwise the failure that it is without a finish reason. */
  #ended: 'done' | ProviderFailure | undefined

  constructor(options: OpenAiAnswerOptions) {
    this.#options = options
    this.whole = this.#whole.promise
    this.#timer.begin(options.firstMs)
  }

  abort(reason: unknown): void {
    if (this.#isOver) return
    this.#close()
    this.#whole.reject(reason)
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection
    // Before there was a connection nothing could be aborted.
    if (this.#isOver) this.#close()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (this.#isOver) return
    if (status === 200) this.#options.onTaken()
    if (status <= 200) return
    this.refusal = { status, headers, body: Buffer.alloc(0) }
    this.#timer.begin(REFUSAL_MS_MAX)
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#isOver) return
    if (this.#isEvents === undefined) {
      // By the first byte that is no blank: headers are often wrong.
      const at = bytes.findIndex((byte) => !BLANK_BYTES.has(byte))
      if (at === -1) return
      this.#isEvents = this.refusal === undefined && !JSON_BYTES.has(bytes[at])
      this.#read(bytes.subarray(at))
    } else this.#read(bytes)
  }

  onResponseEnd(): void {
    this.#connection = undefined
    if (this.#isEvents === true) this.#add(this.#events.readEnd())
    else if (this.#isEvents === false && this.refusal === undefined) {
      const body = new TextDecoder().decode(Buffer.concat(this.#pieces))
      this.#add([body, STREAM_DONE].map((data) => ({ data, event: undefined, id: undefined })))
    }
    this.#end(UNFINISHED)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connection = undefined
    this.#end(readBreak(error, this.#options.unspeakable()))
  }

  #read(bytes: Uint8Array): void {
    if (this.#isEvents === true) {
      this.#add(this.#events.read(bytes))
      if (this.#events.isOverfull()) this.#end(UNFINISHED)
      return
    }
    const bytesMax = this.refusal === undefined ? BODY_BYTES_MAX : EXPLANATION_BYTES_MAX
    this.#pieces.push(bytes.subarray(0, Math.max(0, bytesMax - this.#bytes)))
    this.#bytes += bytes.byteLength
    if (this.#bytes < bytesMax) return
    const explanation = `Cannot read answer: it has more than ${bytesMax} bytes`
    this.#end({ kind: 'malformed', explanation })
  }

  #end(failure: ProviderFailure): void {
    if (this.#isOver) {
      this.#timer.stop()
      return
    }
    if (this.refusal === undefined) {
      this.#ended ??= failure
      this.#goOn()
      return
    }
    this.refusal.body = Buffer.concat(this.#pieces)
    const refused = readRefusal(this.refusal, this.#options.unspeakable())
    const isRejected = isAboutRequest(this.refusal.status, refused)
    this.#fail(refused, isRejected, this.refusal.body.toString())
  }

  #add(events: readonly EventSourceMessage[]): void {
    if (events.length === 0 || this.#isOver) return
    this.#queue = this.#queue.length === 0 ? events : [...this.#queue, ...events]
    this.#goOn()
  }

  /** Reads the events that have come until the taker has to be waited for, and ends after the last of them. */
  #goOn(): void {
    if (this.#isWaiting) return
    this.#timer.end()
    for (let index = 0; index < this.#queue.length; index += 1) {
      const event = this.#queue[index]
      const ready = event && this.#take(this.#readEvent(event))
      if (this.#isOver) return
      if (ready !== undefined) {
        this.#waitFor(ready, this.#queue.slice(index + 1))
        return
      }
    }
    this.#queue = []
    if (this.#ended === undefined) {
      const { silenceMs } = this.#options
      const isTail = this.#reader.finishReason !== undefined
      this.#timer.begin(isTail ? Math.min(silenceMs, TAIL_MS_MAX) : silenceMs)
      return
    }
    const ready = this.#take(this.#reader.readEnd())
    if (ready === undefined) this.#finish(this.#ended)
    else this.#waitFor(ready, [])
  }

  #waitFor(ready: Promise<void>, rest: readonly EventSourceMessage[]): void {
    this.#queue = rest
    this.#isWaiting = true
    this.#connection?.pause()
    ready.then(
      () => {
        this.#isWaiting = false
        if (this.#isOver) return
        this.#goOn()
        if (!this.#isWaiting) this.#connection?.resume()
      },
      (error) => this.abort(error),
    )
  }

  #take(piece: AnswerPiece | undefined): Promise<void> | undefined {
    if (piece === undefined || this.#isOver) return undefined
    this.#isHandedOn ||= !this.#options.isPlain
    return this.#options.take(piece)
  }

  #readEvent({ data, event }: EventSourceMessage): AnswerPiece | undefined {
    const json = data.trim()
    if (json === STREAM_DONE) this.#ended = 'done'
    // After [DONE] nothing counts.
    if (json === '' || this.#ended === 'done') return undefined
    try {
      const read = this.#reader.read(json, event === 'error')
      if (read === undefined || 'text' in read) return read
      const said = json.slice(0, EXPLANATION_BYTES_MAX)
      const explanation = toExplanation(said, this.#options.unspeakable())
      this.#fail({ kind: read.kind, explanation }, read.isRejected, said)
    } catch (error) {
      this.#fail({ kind: 'malformed', explanation: (error as Error).message })
    }
    return undefined
  }

  /** After a finish reason the text is complete, so that a connection that fails is only an end. */
  #finish(ended: 'done' | ProviderFailure): void {
    const { finishReason, unknownReason, hasAnswer, usage } = this.#reader
    if (finishReason === undefined && (ended !== 'done' || !hasAnswer)) {
      this.#fail(ended === 'done' ? UNFINISHED : ended)
      return
    }
    // After [DONE] it may end by itself: the provider sees no reader leave, and it serves again.
    if (ended !== 'done') this.#close()
    else if (this.#connection !== undefined) this.#timer.begin(END_MS_MAX)
    else this.#timer.stop()
    this.#isOver = true
    this.#whole.resolve({
      finishReason: finishReason ?? 'stop',
      ...(unknownReason !== undefined && { unknownReason }),
      ...(usage !== undefined && { usage }),
    })
  }

  #fail(failure: ProviderFailure, isRejected = false, json = ''): void {
    if (this.#isOver) return
    this.#close()
    const isAbove = !this.#isHandedOn && isTooLong(failure, json)
    const before = isRejected || isAbove ? 'rejected' : 'unavailable'
    const code = this.#isHandedOn ? 'broken' : before
    this.#whole.reject(new ProviderError(code, MESSAGES[code], { failure, isTooLong: isAbove }))
  }

  #close(): void {
    this.#isOver = true
    this.#timer.stop()
    this.#connection?.abort(new Error('The answer has no reader any more'))
    this.#connection = undefined
  }

  #lose(error: Error): void {
    if (this.#isOver) this.#close()
    else this.#end({ kind: 'timed_out', explanation: error.message })
  }
}
