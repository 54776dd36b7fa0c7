import type { Dispatcher } from 'undici'
import type { HttpHeaders } from './exchange.ts'
import { AnswerTooLongError, type Exchange } from './exchange.ts'

/** How many bytes of a body are taken. */
export interface WholeAnswerBounds {
  bytesMax: number
  /** The bound of a refusal (400 and above), whose status says enough: a longer body, or a broken one, is empty. */
  refusalBytesMax: number
}

/** Takes one answer in as undici reports it, without a stream between: its outcome is the exchange's. */
export class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly exchange: Promise<Exchange>
  readonly #bounds: WholeAnswerBounds
  readonly #settle: (exchange: Exchange) => void
  #controller: Dispatcher.DispatchController | undefined
  #abortedBy: unknown
  #head: { status: number; headers: HttpHeaders } | undefined
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(bounds: WholeAnswerBounds) {
    const { promise, resolve } = Promise.withResolvers<Exchange>()
    this.exchange = promise
    this.#settle = resolve
    this.#bounds = bounds
  }

  /** Ends the request, also one that waits for its connection: that is not sent. */
  abort(reason: unknown): void {
    this.#abortedBy = reason
    this.#settle(this.#lost(reason))
    this.#controller?.abort(toError(reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#abortedBy === undefined) this.#controller = controller
    else controller.abort(toError(this.#abortedBy))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpHeaders,
  ): void {
    // Before the answer there may be interim ones (1xx).
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#bytes += piece.byteLength
    this.#pieces.push(piece)
    const isRefusal = (this.#head?.status ?? 0) >= 400
    const bytesMax = isRefusal ? this.#bounds.refusalBytesMax : this.#bounds.bytesMax
    if (this.#bytes <= bytesMax) return
    controller.abort(
      new AnswerTooLongError(`Cannot read answer: it has more than ${bytesMax} bytes`),
    )
  }

  onResponseEnd(): void {
    if (this.#head === undefined) return
    const [first = Buffer.alloc(0)] = this.#pieces
    const body = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first
    this.#settle({ outcome: 'answered', ...this.#head, body })
  }

  onResponseError(_controller: unknown, cause: Error): void {
    const head = this.#head
    if (head === undefined || head.status < 400) this.#settle(this.#lost(cause))
    else this.#settle({ outcome: 'answered', ...head, body: Buffer.alloc(0) })
  }

  #lost(cause: unknown): Exchange {
    return { outcome: this.#controller === undefined ? 'unsent' : 'lost', cause }
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The request was aborted', { cause: reason })
}
