/**
 * The ledger's operations of this process, in batches: those that arrive while a statement is under way go
 * together into the next one, and share its fixed cost and its commit.
 *
 * Invariants:
 * - an operation that arrives at an idle lane goes at once, by itself, as it does without a lane;
 * - a batch has what arrived first, in that order, at most `BATCH_MAX`; of one request or idempotency key it has
 *   one operation, and the next waits for the next batch;
 * - an operation waits for one statement, and at load for `REST_MS` more: only after a batch of two or more, and
 *   no longer than until `BATCH_ENOUGH` have come. (A batch costs PostgreSQL about 1 ms and each operation in it 30
 *   to 60 µs: at a thousand a second batches of two or three would gain little.)
 * - one refusal refuses only itself. A batch that fails was undone as a whole, and its operations are done one by
 *   one; only where the connection broke, so that it may have been done, all of them fail as one alone would;
 * - a statement has the lane to itself for `PATIENCE_MS` at most: one that takes longer, since another keeps a row
 *   locked or the connection hangs, goes on while others pass it. A batch gives up the wait for a row, and each account
 *   of it is done by a statement of its own, so that only the one whose row is locked waits on;
 * - of an account whose statement waits (`slow`) at most a second one is begun, which waits for a row no longer than
 *   `PATIENCE_MS`. If it passes, only the connection of the first hangs; if not, all that comes of the account waits
 *   here for the first: one locked row takes two connections of the pool, however many requests its account makes. If
 *   the first waits in vain, requests that came meanwhile fail with it, and the account's next ones wait no longer
 *   than `PATIENCE_MS`, until one is done. Ends of holds each have the whole wait: what they cost is known.
 */
import pg from 'pg'
import type { Sql } from '../sql.ts'
import type { Lane, LedgerSql, Operation, OperationOutcome } from './operation.ts'
import { rememberAccounts } from './remember-accounts.ts'
import { runBatch, runOne } from './run-batch.ts'

/** The most operations of a statement: it takes some milliseconds, for which the rows are locked. */
export const BATCH_MAX = 64
const BATCH_ENOUGH = 16
const REST_MS = 3
/** Ordinary statements, and the locks that other processes take for them, take milliseconds. */
const PATIENCE_MS = 300

/**
 * SQLSTATEs after which nothing was done, and fewer operations may fare better: cardinality, data, constraint,
 * deadlock, size, lock, cancelled.
 */
const UNDONE = /^(21|22|23|40|54|55|57014)/
const LOCK_NOT_AVAILABLE = '55P03'

export interface LaneOptions {
  patienceMs?: number
}

/** A ledger whose operations share statements. */
export function withLane(sql: Sql, options?: LaneOptions): LedgerSql {
  const query = ((...statement: Parameters<Sql['query']>) =>
    sql.query(...statement)) as Sql['query']
  return { query, lane: createLane(sql, options) }
}

interface Waiting {
  operation: Operation
  resolve: (outcome: OperationOutcome) => void
  reject: (error: unknown) => void
}

interface Slow {
  held: Waiting[]
  /** Unknown until a second statement has been tried. */
  second: 'untried' | 'tried' | 'locked'
}

/** One lane for a process: two would cost twice as much, and wait for each other's rows. */
function createLane(sql: Sql, { patienceMs = PATIENCE_MS }: LaneOptions = {}): Lane {
  let waiting: Waiting[] = []
  let isBusy = false
  let restsUntilMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  const accounts = rememberAccounts()
  const slow = new Map<number, Slow>()
  const suspects = new Set<number>()
  return { run }

  function run(operation: Operation): Promise<OperationOutcome> {
    return new Promise((resolve, reject) => {
      const one = { operation, resolve, reject }
      const account = accounts.of(operation)
      const own = account === undefined ? undefined : slow.get(account)
      if (account !== undefined && own !== undefined) {
        own.held.push(one)
        void trySecond(account, own)
      } else if (account !== undefined && suspects.has(account)) void performOf(account, [one])
      else {
        waiting.push(one)
        goOn()
      }
    })
  }

  function goOn(): void {
    if (isBusy || waiting.length === 0) return
    const restMs = restsUntilMs - performance.now()
    if (restMs <= 0) go()
    // Those that the batch before has let go arrive in this turn of the event loop.
    else if (waiting.length >= BATCH_ENOUGH) turn ??= setImmediate(go)
    else timer ??= setTimeout(go, restMs)
  }

  function go(): void {
    clearTimeout(timer)
    clearImmediate(turn)
    timer = turn = undefined
    const [batch, rest] = takeBatch(waiting)
    waiting = rest
    // Those that waited may have been moved to an account that waits.
    if (batch.length === 0) return
    isBusy = true
    let isOver = false
    let own: Slow | undefined
    const [first] = batch
    const account = first && batch.length === 1 ? accounts.of(first.operation) : undefined
    const patience = setTimeout(onSlow, patienceMs)
    void perform(batch, patience).then((error) => {
      if (account !== undefined && own !== undefined) letGo(account, own, error)
      end()
    })

    /** One operation waits by itself from here on: what locks a row of its account locks those that follow. */
    function onSlow(): void {
      if (account !== undefined) {
        own = holdUp(account, 'untried')
        void trySecond(account, own)
      }
      end()
    }

    function end(): void {
      if (isOver) return
      isOver = true
      clearTimeout(patience)
      isBusy = false
      restsUntilMs = batch.length > 1 ? performance.now() + REST_MS : Number.NEGATIVE_INFINITY
      goOn()
    }
  }

  /**
   * Never throws: each operation of the batch has its own outcome. Resolves when none of it is under way, with the
   * reason why the only one failed.
   *
   * @param patience Begins again with each statement.
   */
  async function perform(batch: readonly Waiting[], patience: NodeJS.Timeout): Promise<unknown> {
    const [first] = batch
    if (first !== undefined && batch.length === 1) return await performAlone(first)
    const onLocked = () => performByAccount(batch)
    await performTogether(batch, { lockTimeoutMs: patienceMs, onLocked, patience })
    return undefined
  }

  async function performTogether(
    batch: readonly Waiting[],
    { lockTimeoutMs, onLocked, patience }: TogetherOptions,
  ): Promise<void> {
    try {
      const rows = batch.map(({ operation }) => operation.row)
      const outcomes = await runBatch(sql, rows, lockTimeoutMs)
      for (const [index, one] of batch.entries()) finish(one, outcomes[index] as OperationOutcome)
    } catch (error) {
      const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
      if (code === LOCK_NOT_AVAILABLE) await onLocked(error)
      else if (UNDONE.test(code)) await performInTurn(batch, patience)
      else for (const { reject } of batch) reject(error)
    }
  }

  async function performByAccount(batch: readonly Waiting[]): Promise<void> {
    const ofAccounts = Map.groupBy(batch, ({ operation }) => accounts.of(operation))
    await Promise.all(
      Array.from(ofAccounts, ([account, some]) =>
        account === undefined ? Promise.all(some.map(performAlone)) : performOf(account, some),
      ),
    )
  }

  async function performOf(account: number, operations: readonly Waiting[]): Promise<void> {
    const [batch, rest] = takeBatch(operations)
    const own = holdUp(account, 'locked')
    own.held.unshift(...rest)
    const isShort = suspects.has(account) && !batch.some(isEnd)
    let failure: unknown
    const onLocked = (error: unknown) => {
      failure = error
      for (const { reject } of batch) reject(error)
    }
    await performTogether(batch, { lockTimeoutMs: isShort ? patienceMs : undefined, onLocked })
    letGo(account, own, failure)
  }

  async function trySecond(account: number, own: Slow): Promise<void> {
    const [batch, rest] = takeBatch(own.held)
    if (own.second !== 'untried' || batch.length === 0) return
    own.second = 'tried'
    own.held = rest
    const onLocked = () => {
      own.second = 'locked'
      // The first may be over by now.
      if (slow.get(account) === own) own.held.unshift(...batch)
      else goOnWith(batch)
    }
    await performTogether(batch, { lockTimeoutMs: patienceMs, onLocked })
    if (own.second === 'tried') letGo(account, own, undefined)
  }

  function holdUp(account: number, second: Slow['second']): Slow {
    const known = slow.get(account)
    if (known !== undefined) return known
    const isOwn = ({ operation }: Waiting) => accounts.of(operation) === account
    const own: Slow = { held: waiting.filter(isOwn), second }
    slow.set(account, own)
    waiting = waiting.filter((one) => !isOwn(one))
    return own
  }

  function letGo(account: number, own: Slow, error: unknown): void {
    if (slow.get(account) !== own) return
    slow.delete(account)
    const isLocked = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
    if (!isLocked) {
      suspects.delete(account)
      goOnWith(own.held)
      return
    }
    suspects.add(account)
    const ends = own.held.filter(isEnd)
    for (const one of own.held) if (!isEnd(one)) one.reject(error)
    if (ends.length > 0) void performOf(account, ends)
  }

  function goOnWith(operations: readonly Waiting[]): void {
    waiting = [...operations, ...waiting]
    goOn()
  }

  async function performInTurn(
    batch: readonly Waiting[],
    patience: NodeJS.Timeout | undefined,
  ): Promise<void> {
    for (const each of batch) {
      patience?.refresh()
      await performAlone(each)
    }
  }

  async function performAlone(one: Waiting): Promise<unknown> {
    try {
      finish(one, await runOne(sql, one.operation.row))
      return undefined
    } catch (error) {
      one.reject(error)
      return error
    }
  }

  function finish({ operation, resolve }: Waiting, outcome: OperationOutcome): void {
    accounts.record(operation, outcome)
    resolve(outcome)
  }
}

interface TogetherOptions {
  /** How long it waits for a row that another has locked; undefined: as long as the connection says. */
  lockTimeoutMs: number | undefined
  onLocked: (error: unknown) => unknown
  patience?: NodeJS.Timeout
}

function isEnd({ operation }: Waiting): boolean {
  return operation.row.kind === 'end'
}

function takeBatch(operations: readonly Waiting[]): [batch: Waiting[], rest: Waiting[]] {
  const subjects = new Set<string>()
  for (const { operation } of operations) {
    if (subjects.size === BATCH_MAX || subjects.has(operation.subject)) break
    subjects.add(operation.subject)
  }
  return [operations.slice(0, subjects.size), operations.slice(subjects.size)]
}
