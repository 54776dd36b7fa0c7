/**
 * Runs operations of this process in batches: operations that arrive during a statement share the next statement.
 *
 * In: operations, each of one account. Out: the outcome of each.
 * Invariants: a statement skips accounts that another session has locked. Operations of an account that was skipped
 * twice wait for its lock, apart from the other accounts; operations that no batch can serve run one by one. So a locked
 * row or a refusal delays only its own account. An operation's outcome is unknown only if its connection broke.
 */
import pg from 'pg'

/** The most operations of a statement: it takes some milliseconds, for which the accounts are locked. */
export const BATCH_MAX = 64
const BATCH_ENOUGH = 16
/** A pause between batches, in which the next ones fill: a statement costs as much as ten of its operations. */
const REST_MS = 3
/** A statement that takes longer, since its connection hangs, no longer delays the next statements. */
const PATIENCE_MS = 300
const SKIPS_MAX = 2

/** The account is locked: the operation joins a later batch. */
export const SKIPPED = Symbol('skipped')
/** The operation needs a transaction of its own. */
export const UNUSUAL = Symbol('unusual')

/** SQLSTATEs after which nothing was done, and a single operation may succeed. */
const UNDONE = /^(21|22|23|40|54|55|57014)/
const LOCK_TIMEOUT = '55P03'

export interface Runs<T, R> {
  /** Runs one statement. It skips locked accounts unless it waits for them. */
  batch(
    some: readonly T[],
    waits: boolean,
  ): Promise<readonly (R | typeof SKIPPED | typeof UNUSUAL)[]>
  single(operation: T): Promise<R>
}

interface Waiting<T, R> {
  operation: T
  isUnusual: boolean
  skips: number
  resolve: (outcome: R) => void
  reject: (error: unknown) => void
}

/** The turns of a process's batchers: their statements run one by one, so that none skips an account of another. */
export class BatchTurns {
  readonly #batchers: { readonly waiting: number; serve(): Promise<void> }[] = []
  #isTaking = false
  #endRest = () => {}

  add(batcher: { readonly waiting: number; serve(): Promise<void> }): void {
    this.#batchers.push(batcher)
  }

  /** Call it when an operation waits. */
  take(): void {
    if (!this.#isTaking) void this.#takeAll()
    // The last statement's operations may add more in this turn of the event loop.
    else if (this.#countWaiting() === BATCH_ENOUGH) setImmediate(() => this.#endRest())
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true
    while (this.#countWaiting() > 0) {
      const isBusy = this.#countWaiting() > 1
      for (const batcher of this.#batchers) {
        if (batcher.waiting > 0) await endOf(batcher.serve(), PATIENCE_MS)
      }
      if (isBusy && this.#countWaiting() < BATCH_ENOUGH) {
        const enough = new Promise<void>((resolve) => {
          this.#endRest = resolve
        })
        await endOf(enough, REST_MS)
      }
    }
    this.#isTaking = false
  }

  #countWaiting(): number {
    return this.#batchers.reduce((sum, { waiting }) => sum + waiting, 0)
  }
}

async function endOf(work: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}

export class Batcher<T extends { accountId: number }, R> {
  readonly #runs: Runs<T, R>
  readonly #turns: BatchTurns
  readonly #ofAccounts = new Map<number, Waiting<T, R>[]>()
  #waiting: Waiting<T, R>[] = []

  constructor(runs: Runs<T, R>, turns = new BatchTurns()) {
    this.#runs = runs
    this.#turns = turns
    turns.add(this)
  }

  /** @param isUnusual True if no batch would serve the operation. */
  run(operation: T, isUnusual = false): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#add({ operation, isUnusual, skips: 0, resolve, reject })
    })
  }

  #add(one: Waiting<T, R>): void {
    const { accountId } = one.operation
    const queue = this.#ofAccounts.get(accountId)
    if (queue !== undefined) queue.push(one)
    else if (one.isUnusual || one.skips === SKIPS_MAX) {
      this.#ofAccounts.set(accountId, [one])
      // Others of the account may follow from the same batch.
      queueMicrotask(() => void this.#serveAccount(accountId))
    } else {
      this.#waiting.push(one)
      this.#turns.take()
    }
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs the next batch. Never rejects. */
  async serve(): Promise<void> {
    const batch = this.#waiting.splice(0, BATCH_MAX)
    for (const one of await this.#runBatch(batch, false)) this.#add(one)
  }

  /** Serves an account apart for as long as it has to be: statements of its own cost more than a place in a batch. */
  async #serveAccount(accountId: number): Promise<void> {
    const queue = this.#ofAccounts.get(accountId) ?? []
    for (let [first] = queue; first !== undefined; [first] = queue) {
      if (first.isUnusual) await this.#runSingle(queue.shift() ?? first)
      else if (first.skips < SKIPS_MAX) break
      else {
        const unusual = queue.findIndex(({ isUnusual }) => isUnusual)
        const usual = unusual < 0 ? queue.length : unusual
        queue.unshift(...(await this.#runBatch(queue.splice(0, Math.min(usual, BATCH_MAX)), true)))
      }
    }
    this.#ofAccounts.delete(accountId)
    for (const one of queue) this.#add(one)
  }

  async #runBatch(batch: readonly Waiting<T, R>[], waits: boolean): Promise<Waiting<T, R>[]> {
    const left: Waiting<T, R>[] = []
    try {
      const operations = batch.map(({ operation }) => operation)
      const outcomes = await this.#runs.batch(operations, waits)
      for (const [index, one] of batch.entries()) {
        const outcome = outcomes[index] as R | typeof SKIPPED | typeof UNUSUAL
        if (outcome === SKIPPED) left.push({ ...one, skips: one.skips + 1 })
        else if (outcome === UNUSUAL) left.push({ ...one, isUnusual: true })
        else one.resolve(outcome)
      }
    } catch (error) {
      const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
      const isUndone = UNDONE.test(code) && !(waits && code === LOCK_TIMEOUT)
      for (const one of batch) {
        if (isUndone) left.push({ ...one, isUnusual: true })
        else one.reject(error)
      }
    }
    return left
  }

  async #runSingle({ operation, resolve, reject }: Waiting<T, R>): Promise<void> {
    await this.#runs.single(operation).then(resolve, reject)
  }
}
