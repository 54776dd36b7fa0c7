import type { Dispatcher } from 'undici'
import type { HttpHeaders } from '../../../platform/http/headers.ts'
import { EXPLANATION_BYTES_MAX, type Unspeakable } from '../explanation.ts'
import { isAboutRequest, type ProviderFailure, readBreak, readRefusal } from '../failure.ts'
import { ProviderError, type ProviderErrorCode } from '../provider.ts'
import type { FormRefusal } from './adjustments.ts'
import { createSilenceTimer } from './silence-timer.ts'

/** How long the text of a refusal is waited for. Its status says enough. */
const REFUSAL_MS_MAX = 2000

/** What callers read of a failure. */
export const MESSAGES: Readonly<Record<ProviderErrorCode, string>> = {
  rejected: 'The model refused the request.',
  unavailable: 'The model is not available now.',
  broken: 'The model broke off its answer.',
}

export const UNFINISHED: ProviderFailure = {
  kind: 'malformed',
  explanation: 'Cannot read completion: it ended unfinished',
}

export interface UpstreamAnswerOptions {
  /** How long it may take until `timer` is begun again, connecting included. */
  firstMs: number
  unspeakable: () => Unspeakable
  /** Called when the upstream has taken the request: with the head of an answer that is no refusal. */
  onTaken: () => void
}

/**
 * One answer of an upstream, as undici reports its connection: a refusal ends it here, the body of any other is
 * read below. It goes past undici's own stream, which would cost more than all that is done with the bytes.
 */
export abstract class OpenAiAnswer<T> implements Dispatcher.DispatchHandler {
  readonly whole: Promise<T>

  protected readonly timer = createSilenceTimer((error) => this.#lose(error))
  protected readonly unspeakable: () => Unspeakable
  protected connection: Dispatcher.DispatchController | undefined
  protected isOver = false
  /** True once a part of it was handed on: every failure after that is `broken`. */
  protected isHandedOn = false
  /** The refusal that it ended with, as it came: for the program alone, it may quote anything. */
  refusal: FormRefusal | undefined
  readonly #whole = Promise.withResolvers<T>()
  readonly #onTaken: () => void
  #refusal:
    | { status: number; headers: HttpHeaders; pieces: Uint8Array[]; bytes: number }
    | undefined

  constructor({ firstMs, unspeakable, onTaken }: UpstreamAnswerOptions) {
    this.#onTaken = onTaken
    this.whole = this.#whole.promise
    this.unspeakable = unspeakable
    this.timer.begin(firstMs)
  }

  protected abstract read(bytes: Uint8Array): void

  protected abstract end(failure?: ProviderFailure): void

  abort(reason: unknown): void {
    if (this.isOver) return
    this.close()
    this.#whole.reject(reason)
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.connection = connection
    // Before there was a connection nothing could be aborted.
    if (this.isOver) this.close()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (this.isOver) return
    if (status === 200) this.#onTaken()
    if (status <= 200) return
    this.#refusal = { status, headers, pieces: [], bytes: 0 }
    this.timer.begin(REFUSAL_MS_MAX)
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.isOver) return
    if (this.#refusal === undefined) this.read(bytes)
    else this.#readRefusal(bytes)
  }

  onResponseEnd(): void {
    this.#connectionIsGone()
    this.#end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connectionIsGone()
    if (!this.isOver) this.#end(readBreak(error, this.unspeakable()))
  }

  protected succeed(whole: T): void {
    this.isOver = true
    this.#whole.resolve(whole)
  }

  protected fail(failure: ProviderFailure, isRejected = false): void {
    if (this.isOver) return
    this.close()
    const before = isRejected ? 'rejected' : 'unavailable'
    const code = this.isHandedOn ? 'broken' : before
    this.#whole.reject(new ProviderError(code, MESSAGES[code], { failure }))
  }

  protected close(): void {
    this.isOver = true
    this.timer.stop()
    this.connection?.abort(new Error('The answer has no reader any more'))
    this.connection = undefined
  }

  #readRefusal(bytes: Uint8Array): void {
    const refusal = this.#refusal
    if (refusal === undefined) return
    refusal.pieces.push(bytes.subarray(0, EXPLANATION_BYTES_MAX - refusal.bytes))
    refusal.bytes += bytes.byteLength
    if (refusal.bytes >= EXPLANATION_BYTES_MAX) this.#end()
  }

  #end(failure?: ProviderFailure): void {
    if (this.isOver) return
    if (this.#refusal === undefined) {
      this.end(failure)
      return
    }
    const { status, headers, pieces } = this.#refusal
    this.refusal = { status, body: Buffer.concat(pieces) }
    const refused = readRefusal({ ...this.refusal, headers }, this.unspeakable())
    this.fail(refused, isAboutRequest(status, refused))
  }

  #lose(error: Error): void {
    if (this.isOver) this.close()
    else this.#end({ kind: 'timed_out', explanation: error.message })
  }

  #connectionIsGone(): void {
    this.connection = undefined
    if (this.isOver) this.timer.stop()
  }
}
