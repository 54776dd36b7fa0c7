/**
 * Operations of this process in batches: those that arrive while a statement is under way share the next one.
 *
 * In: operations, each of one account. Out: the outcome of each.
 * Invariants: a statement skips accounts that another session has locked; an account that was skipped twice, or that
 * the statement cannot serve, is served alone, in its own transaction, one at a time. So a locked row, or a refusal,
 * delays only its own account. An operation's outcome is unknown only if its connection broke.
 */
import pg from 'pg'

/** The most operations of a statement: it takes some milliseconds, for which the accounts are locked. */
export const BATCH_MAX = 64
const BATCH_ENOUGH = 16
/** After a batch the next one waits so long for more operations: a statement costs as much as ten of them. */
const REST_MS = 3
/** A statement that takes longer, since its connection hangs, no longer holds up those that follow. */
const PATIENCE_MS = 300
const SKIPS_MAX = 2

/** The account is locked: the operation goes into a later batch. */
export const SKIPPED = Symbol('skipped')
/** The operation needs a transaction of its own account. */
export const UNUSUAL = Symbol('unusual')

/** SQLSTATEs after which nothing was done, and fewer operations may fare better. */
const UNDONE = /^(21|22|23|40|54|55|57014)/

export interface LaneOptions<T, R> {
  /** Runs one statement for operations of any accounts. */
  runBatch(batch: readonly T[]): Promise<readonly (R | typeof SKIPPED | typeof UNUSUAL)[]>
  /** Runs one transaction for operations of one account. */
  runOfAccount(accountId: number, some: readonly T[]): Promise<readonly R[]>
  /** True if the batch would not serve it. */
  isUnusual?(operation: T): boolean
}

interface Waiting<T, R> {
  operation: T
  skips: number
  resolve: (outcome: R) => void
  reject: (error: unknown) => void
}

export class Lane<T extends { accountId: number }, R> {
  readonly #options: LaneOptions<T, R>
  readonly #ofAccounts = new Map<number, Waiting<T, R>[]>()
  #waiting: Waiting<T, R>[] = []
  #isBusy = false
  #restsUntilMs = 0
  #timer: NodeJS.Timeout | undefined
  #turn: NodeJS.Immediate | undefined

  constructor(options: LaneOptions<T, R>) {
    this.#options = options
  }

  run(operation: T): Promise<R> {
    return new Promise((resolve, reject) => {
      const one = { operation, skips: 0, resolve, reject }
      const isAlone = this.#ofAccounts.has(operation.accountId)
      if (isAlone || this.#options.isUnusual?.(operation)) this.#serveAlone(one)
      else {
        this.#waiting.push(one)
        this.#next()
      }
    })
  }

  #next(): void {
    if (this.#isBusy || this.#waiting.length === 0) return
    const restMs = this.#restsUntilMs - performance.now()
    if (restMs <= 0) void this.#serve()
    // Operations that the last batch let go on arrive in this turn of the event loop.
    else if (this.#waiting.length >= BATCH_ENOUGH) {
      this.#turn ??= setImmediate(() => void this.#serve())
    } else this.#timer ??= setTimeout(() => void this.#serve(), restMs)
  }

  async #serve(): Promise<void> {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#timer = this.#turn = undefined
    const batch = this.#waiting.splice(0, BATCH_MAX)
    if (batch.length === 0) return
    this.#isBusy = true
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      this.#isBusy = false
      this.#restsUntilMs = batch.length > 1 ? performance.now() + REST_MS : 0
      this.#next()
    }
    const patience = setTimeout(end, PATIENCE_MS)
    await this.#runBatch(batch)
    clearTimeout(patience)
    end()
  }

  async #runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const outcomes = await this.#options.runBatch(batch.map(({ operation }) => operation))
      for (const [index, one] of batch.entries()) {
        const outcome = outcomes[index] as R | typeof SKIPPED | typeof UNUSUAL
        if (outcome === SKIPPED) this.#skip(one)
        else if (outcome === UNUSUAL) this.#serveAlone(one)
        else one.resolve(outcome)
      }
    } catch (error) {
      for (const one of batch) {
        if (isUndone(error)) this.#serveAlone(one)
        else one.reject(error)
      }
    }
  }

  #skip(one: Waiting<T, R>): void {
    one.skips += 1
    if (one.skips < SKIPS_MAX) this.#waiting.push(one)
    else this.#serveAlone(one)
  }

  #serveAlone(one: Waiting<T, R>): void {
    const { accountId } = one.operation
    const queue = this.#ofAccounts.get(accountId)
    if (queue !== undefined) {
      queue.push(one)
      return
    }
    this.#ofAccounts.set(accountId, [one])
    // More of the account may follow from the same batch, and before those that came later.
    setImmediate(() => {
      const isOwn = ({ operation }: Waiting<T, R>) => operation.accountId === accountId
      this.#ofAccounts.get(accountId)?.push(...this.#waiting.filter(isOwn))
      this.#waiting = this.#waiting.filter((each) => !isOwn(each))
      void this.#serveAccount(accountId)
    })
  }

  async #serveAccount(accountId: number): Promise<void> {
    const queue = this.#ofAccounts.get(accountId) ?? []
    while (queue.length > 0) await this.#runOfAccount(accountId, queue.splice(0, BATCH_MAX))
    this.#ofAccounts.delete(accountId)
  }

  async #runOfAccount(accountId: number, some: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const operations = some.map(({ operation }) => operation)
      const outcomes = await this.#options.runOfAccount(accountId, operations)
      for (const [index, { resolve }] of some.entries()) resolve(outcomes[index] as R)
    } catch (error) {
      if (some.length > 1 && isUndone(error)) {
        for (const one of some) await this.#runOfAccount(accountId, [one])
      } else for (const { reject } of some) reject(error)
    }
  }
}

function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNDONE.test(error.code ?? '')
}
