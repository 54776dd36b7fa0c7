export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'

  constructor() {
    super('The client closed the connection')
  }
}

/** How long a plain answer is waited for after its client left: the provider charges for it in any case. */
export const LEFT_MS_MAX = 120_000

export class ChatClient {
  readonly #controller = new AbortController()
  #isOutlasted = false
  #hasLeft = false
  #timer: NodeJS.Timeout | undefined

  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Aborts when all work for the client must end: with a `ClientGoneError` if it left. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    if (this.#isOutlasted) this.#timer = setTimeout(() => this.#giveUp(), LEFT_MS_MAX)
    else this.#giveUp()
  }

  /** Runs work for up to `LEFT_MS_MAX` after the client left. If it left, the signal aborts at the work's end. */
  async outlast<T>(work: () => Promise<T>): Promise<T> {
    this.#isOutlasted = true
    try {
      return await work()
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
