import { ClientGoneError } from './client-gone-error.ts'

/**
 * How long the service waits for the answer to a client that left, so that the client pays for what it asked for.
 * Most answers take less; one that takes more is given up and costs its client nothing.
 */
export const LEFT_MS_MAX = 120_000

/** The client that waits for one answer, and may leave before it is whole. */
export class ChatClient {
  onOutlasted: () => void = () => {}
  readonly #controller = new AbortController()
  #isOutlasted = false
  #hasLeft = false
  #timer: NodeJS.Timeout | undefined

  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Aborted once nothing more is to be done for the client: with a `ClientGoneError` where it left. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    if (this.#isOutlasted) {
      this.#timer = setTimeout(() => this.#giveUp(), LEFT_MS_MAX)
      this.onOutlasted()
    } else this.#giveUp()
  }

  /**
   * Does work whose result is paid for, whether the client waits for it or not. Where the client has left
   * meanwhile, nothing more is done for it after this.
   *
   * @param work Calls `onReached` when the client has something of the result: a client that leaves after that has the
   *   work broken off at once.
   */
  async outlast<T>(work: (onReached: () => void) => Promise<T>): Promise<T> {
    this.#isOutlasted = true
    try {
      return await work(() => {
        this.#isOutlasted = false
      })
    } finally {
      this.#isOutlasted = false
      clearTimeout(this.#timer)
      if (this.#hasLeft) this.#giveUp()
    }
  }

  #giveUp(): void {
    this.abort(new ClientGoneError())
  }
}
