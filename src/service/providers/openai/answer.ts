import type { EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import { STREAM_DONE } from '../../../contract/chat.ts'
import { createEventReader } from '../../../platform/http/event-reader.ts'
import type { HttpHeaders } from '../../../platform/http/http-client.ts'
import { EXPLANATION_BYTES_MAX, toExplanation, type Unspeakable } from '../explanation.ts'
import { isAboutRequest, type ProviderFailure, readBreak, readRefusal } from '../failure.ts'
import {
  type AnswerPiece,
  ProviderError,
  type ProviderErrorCode,
  type ProviderFinish,
  type TakePieces,
} from '../provider.ts'
import { AnswerReader } from './reader.ts'
import { isTooLong } from './request-form.ts'

/** The wait for the text of a refusal. Its status says enough. */
const REFUSAL_MS_MAX = 2000
/** The wait for usage and the end of the stream after `finish_reason`. */
const TAIL_MS_MAX = 10_000
/** How long a connection may stay open after `[DONE]`. */
const END_MS_MAX = 1000
/** Longest answer in one JSON body. A model's longest text, with its thoughts before, is far below it. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024

export const MESSAGES: Readonly<Record<ProviderErrorCode, string>> = {
  rejected: 'The model refused the request.',
  unavailable: 'The model is not available now.',
  broken: 'The model broke off its answer.',
}

const UNFINISHED: ProviderFailure = {
  kind: 'malformed',
  explanation: 'Cannot read answer: it ended unfinished',
}

/** Blanks and the byte order mark, which may come before JSON. */
const BLANK_BYTES: ReadonlySet<number> = new Set(Buffer.from('\ufeff \t\r\n'))
const JSON_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('{['))

export interface OpenAiAnswerOptions {
  take: TakePieces
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

/** The end of an answer: `done` if the provider said so. A failure that it states counts also after a finish reason. */
type Ending = 'done' | { failure: ProviderFailure; stated?: { isRejected: boolean } }

/**
 * One answer of an upstream, as undici reports its connection: events or one JSON body, whichever came. undici's own
 * stream would cost more than all other work on the bytes. A busy taker pauses the connection.
 */
export class OpenAiAnswer implements Dispatcher.DispatchHandler {
  /** The refusal that it ended with: for the program alone, it may quote anything. */
  refusal: { status: number; headers: HttpHeaders; body: Buffer } | undefined

  readonly #options: OpenAiAnswerOptions
  readonly #whole = Promise.withResolvers<ProviderFinish>()
  #events: ReturnType<typeof createEventReader> | undefined
  readonly #reader = new AnswerReader()
  #connection: Dispatcher.DispatchController | undefined
  #isEvents: boolean | undefined
  #body: Uint8Array[] = []
  #bodyBytes = 0
  #pieces: AnswerPiece[] = []
  #isTakerBusy = false
  #isHandedOn = false
  #ending: Ending | undefined
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #timerMs = 0

  constructor(options: OpenAiAnswerOptions) {
    this.#options = options
    this.#wait(options.firstMs)
  }

  get whole(): Promise<ProviderFinish> {
    return this.#whole.promise
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
    this.#wait(REFUSAL_MS_MAX)
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#isOver) return
    // By the first byte that is no blank: headers are often wrong.
    const isKnown = this.#isEvents !== undefined
    const at = isKnown ? 0 : bytes.findIndex((byte) => !BLANK_BYTES.has(byte))
    if (at === -1) return
    this.#isEvents ??= this.refusal === undefined && !JSON_BYTES.has(bytes[at])
    if (this.#isEvents) {
      this.#events ??= createEventReader()
      this.#addEvents(this.#events.read(bytes.subarray(at)))
      if (this.#events.isOverfull()) this.#end(UNFINISHED)
      return
    }
    const bytesMax = this.refusal === undefined ? BODY_BYTES_MAX : EXPLANATION_BYTES_MAX
    this.#body.push(bytes.subarray(at, at + Math.max(0, bytesMax - this.#bodyBytes)))
    this.#bodyBytes += bytes.byteLength - at
    if (this.#bodyBytes < bytesMax) return
    const explanation = `Cannot read answer: it has more than ${bytesMax} bytes`
    this.#end({ kind: 'malformed', explanation })
  }

  onResponseEnd(): void {
    this.#connection = undefined
    if (this.#events !== undefined) this.#addEvents(this.#events.readEnd())
    else if (this.#isEvents === false && this.refusal === undefined) {
      this.#addEvent(Buffer.concat(this.#body).toString())
      this.#ending ??= 'done'
    }
    this.#end(UNFINISHED)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connection = undefined
    this.#end(readBreak(error, this.#options.unspeakable()))
  }

  #addEvents(events: readonly EventSourceMessage[]): void {
    if (events.length === 0) return
    for (const { data, event } of events) this.#addEvent(data, event === 'error')
    this.#goOn()
  }

  #addEvent(data: string, isError = false): void {
    const json = data.trim()
    // After the end nothing counts.
    if (json === '' || this.#ending !== undefined) return
    if (json === STREAM_DONE) {
      this.#ending = 'done'
      return
    }
    try {
      const read = this.#reader.read(json, isError)
      if (read === undefined) return
      if ('text' in read) this.#pieces.push(read)
      else {
        const { kind, ...stated } = read
        const said = json.slice(0, EXPLANATION_BYTES_MAX)
        const explanation = toExplanation(said, this.#options.unspeakable())
        this.#ending = { failure: { kind, explanation }, stated }
      }
    } catch (error) {
      const failure: ProviderFailure = { kind: 'malformed', explanation: (error as Error).message }
      this.#ending = { failure, stated: { isRejected: false } }
    }
  }

  #end(failure: ProviderFailure): void {
    if (this.#isOver) {
      clearTimeout(this.#timer)
      return
    }
    if (this.refusal === undefined) {
      this.#ending ??= { failure }
      this.#goOn()
      return
    }
    this.refusal.body = Buffer.concat(this.#body)
    const refused = readRefusal(this.refusal, this.#options.unspeakable())
    this.#fail(refused, { isRejected: isAboutRequest(this.refusal.status, refused) })
  }

  /** Hands on the pieces that have come, then waits for more or ends. */
  #goOn(): void {
    if (this.#isTakerBusy || this.#isOver) return
    const ending = this.#ending
    if (ending === 'done' || (ending !== undefined && ending.stated === undefined)) {
      const rest = this.#reader.readEnd()
      if (rest !== undefined) this.#pieces.push(rest)
    }
    if (this.#pieces.length > 0) {
      const pieces = this.#pieces
      this.#pieces = []
      this.#isHandedOn ||= !this.#options.isPlain
      const ready = this.#options.take(pieces)
      if (this.#isOver) return
      if (ready !== undefined) {
        this.#isTakerBusy = true
        this.#connection?.pause()
        ready.then(
          () => this.#resume(),
          (error) => this.abort(error),
        )
        return
      }
    }
    if (ending !== undefined) this.#finish(ending)
    else this.#wait(this.#silenceMs())
  }

  #resume(): void {
    this.#isTakerBusy = false
    this.#goOn()
    if (!this.#isTakerBusy) this.#connection?.resume()
  }

  /** After a finish reason the text is complete, so that a connection that fails is only an end. */
  #finish(ending: Ending): void {
    const { finishReason, hasAnswer, usage } = this.#reader
    if (ending !== 'done' && (finishReason === undefined || ending.stated !== undefined)) {
      this.#fail(ending.failure, ending.stated)
      return
    }
    if (finishReason === undefined && !hasAnswer) {
      this.#fail(UNFINISHED)
      return
    }
    // After [DONE] it may end by itself: then the connection serves again.
    if (ending !== 'done') this.#close()
    else if (this.#connection !== undefined) this.#wait(END_MS_MAX)
    else clearTimeout(this.#timer)
    this.#isOver = true
    this.#whole.resolve({
      finishReason: finishReason ?? 'stop',
      ...(usage !== undefined && { usage }),
    })
  }

  #fail(failure: ProviderFailure, { isRejected } = { isRejected: false }): void {
    if (this.#isOver) return
    this.#close()
    const isAbove = !this.#isHandedOn && isTooLong(failure)
    const before = isRejected || isAbove ? 'rejected' : 'unavailable'
    const code = this.#isHandedOn ? 'broken' : before
    this.#whole.reject(new ProviderError(code, MESSAGES[code], { failure, isTooLong: isAbove }))
  }

  #close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#connection?.abort(new Error('The answer has no reader any more'))
    this.#connection = undefined
  }

  #silenceMs(): number {
    const { silenceMs } = this.#options
    return this.#reader.finishReason === undefined ? silenceMs : Math.min(silenceMs, TAIL_MS_MAX)
  }

  /** Bounds the wait for the connection's next event. One timer serves all waits: there is one for every read. */
  #wait(waitMs: number): void {
    if (waitMs === this.#timerMs) this.#timer?.refresh()
    else {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#lose(), waitMs)
      this.#timerMs = waitMs
    }
  }

  #lose(): void {
    // The time in which the taker is busy is no silence of the upstream; the next wait starts the timer again.
    if (this.#isTakerBusy) return
    const explanation = `Cannot go on waiting: nothing came for ${this.#timerMs} ms`
    if (this.#isOver) this.#close()
    else this.#end({ kind: 'timed_out', explanation })
  }
}
