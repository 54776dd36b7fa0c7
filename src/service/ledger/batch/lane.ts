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
 *   locked or the connection hangs, goes on while others pass it. A batch gives up the wait for a row, and its
 *   operations are begun all at once, so that only those of that row wait on.
 */
import pg from 'pg'
import type { Sql } from '../sql.ts'
import type { Lane, LedgerSql, Operation, OperationOutcome } from './operation.ts'
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
  /** How long a statement has the lane to itself, and a batch waits for a row. */
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

/** One lane for a process: two would cost twice as much, and wait for each other's rows. */
function createLane(sql: Sql, { patienceMs = PATIENCE_MS }: LaneOptions = {}): Lane {
  let waiting: Waiting[] = []
  let isBusy = false
  let restsUntilMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  return { run }

  function run(operation: Operation): Promise<OperationOutcome> {
    return new Promise((resolve, reject) => {
      waiting.push({ operation, resolve, reject })
      goOn()
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
    const batch = takeBatch()
    isBusy = true
    let isOver = false
    const patience = setTimeout(end, patienceMs)
    void perform(batch, patience).then(end)

    function end(): void {
      if (isOver) return
      isOver = true
      clearTimeout(patience)
      isBusy = false
      restsUntilMs = batch.length > 1 ? performance.now() + REST_MS : Number.NEGATIVE_INFINITY
      goOn()
    }
  }

  function takeBatch(): Waiting[] {
    const subjects = new Set<string>()
    for (const { operation } of waiting) {
      if (subjects.size === BATCH_MAX || subjects.has(operation.subject)) break
      subjects.add(operation.subject)
    }
    const batch = waiting.slice(0, subjects.size)
    waiting = waiting.slice(subjects.size)
    return batch
  }

  /**
   * Never throws: each operation of the batch has its own outcome. Resolves when none of it is under way.
   *
   * @param patience Begins again with each statement.
   */
  async function perform(batch: readonly Waiting[], patience: NodeJS.Timeout): Promise<void> {
    const [first] = batch
    if (first !== undefined && batch.length === 1) return await performAlone(first)
    try {
      const outcomes = await runBatch(
        sql,
        batch.map(({ operation }) => operation.row),
        { lockTimeoutMs: patienceMs },
      )
      for (const [index, { resolve }] of batch.entries())
        resolve(outcomes[index] as OperationOutcome)
    } catch (error) {
      const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
      if (code === LOCK_NOT_AVAILABLE) await Promise.all(batch.map(performAlone))
      else if (UNDONE.test(code)) await performInTurn(batch, patience)
      else for (const { reject } of batch) reject(error)
    }
  }

  async function performInTurn(batch: readonly Waiting[], patience: NodeJS.Timeout): Promise<void> {
    for (const each of batch) {
      patience.refresh()
      await performAlone(each)
    }
  }

  async function performAlone({ operation, resolve, reject }: Waiting): Promise<void> {
    await runOne(sql, operation.row).then(resolve, reject)
  }
}
