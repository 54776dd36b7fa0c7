import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withLane } from '../../../../src/service/ledger/batch/lane.ts'
import type { LedgerSql } from '../../../../src/service/ledger/batch/operation.ts'
import { release } from '../../../../src/service/ledger/end-hold.ts'
import type { Sql } from '../../../../src/service/ledger/sql.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Statement {
  operations: number
  answer(): Promise<void>
  fail(error: Error): Promise<void>
}

function openLedger() {
  const statements: Statement[] = []
  const query = ((config: pg.QueryConfig) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const rows: unknown[] = JSON.parse(config.values?.[0] as string)
    statements.push({
      operations: rows.length,
      answer: () =>
        settled(() => resolve({ rowCount: 1, rows: rows.map(() => ({ isDone: true })) })),
      fail: (error) => settled(() => reject(error)),
    })
    return promise
  }) as Sql['query']
  return { ledger: withLane({ query }), statements }
}

async function settled(act: () => void): Promise<void> {
  act()
  await vi.advanceTimersByTimeAsync(0)
}

async function releaseEach(ledger: LedgerSql, count: number): Promise<unknown[]> {
  const ends = Array.from({ length: count }, () => release(ledger, randomUUID()))
  const outcomes = await Promise.allSettled(ends)
  return outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome.reason))
}

function sizesOf(statements: readonly Statement[]): number[] {
  return statements.map(({ operations }) => operations)
}

// Promise: A request comes to a service that is idle, or busy
test('what comes right after a batch waits for others, for 3 ms at most', async () => {
  const { ledger, statements } = openLedger()
  void releaseEach(ledger, 3)
  await statements[0]?.answer()
  await statements[1]?.answer()

  void releaseEach(ledger, 1)
  await vi.advanceTimersByTimeAsync(2)
  void releaseEach(ledger, 1)
  expect(sizesOf(statements)).toEqual([1, 2])
  await vi.advanceTimersByTimeAsync(1)

  expect(sizesOf(statements)).toEqual([1, 2, 2])
})

// Promise: A request comes to a service that is idle, or busy
test('what comes later than that, or after a statement of one, waits for nobody', async () => {
  const { ledger, statements } = openLedger()
  void releaseEach(ledger, 3)
  await statements[0]?.answer()
  await statements[1]?.answer()

  await vi.advanceTimersByTimeAsync(3)
  void releaseEach(ledger, 1)
  expect(sizesOf(statements)).toEqual([1, 2, 1])
  await statements[2]?.answer()
  void releaseEach(ledger, 1)

  expect(sizesOf(statements)).toEqual([1, 2, 1, 1])
})

test('once enough have come nobody waits for more', async () => {
  const { ledger, statements } = openLedger()
  void releaseEach(ledger, 3)
  await statements[0]?.answer()
  await statements[1]?.answer()

  void releaseEach(ledger, 20)
  await vi.advanceTimersByTimeAsync(0)

  expect(sizesOf(statements)).toEqual([1, 2, 20])
})

// Promise: Somebody keeps the row of one account, or a connection hangs
test('a statement without an answer has the lane to itself for 300 ms', async () => {
  const { ledger, statements } = openLedger()
  const [stuck, other] = [releaseEach(ledger, 1), releaseEach(ledger, 1)]

  await vi.advanceTimersByTimeAsync(299)
  expect(sizesOf(statements)).toEqual([1])
  await vi.advanceTimersByTimeAsync(1)
  expect(sizesOf(statements)).toEqual([1, 1])
  await statements[1]?.answer()
  expect(await other).toEqual([true])

  await statements[0]?.answer()
  expect(await stuck).toEqual([true])
})

// Promise: One operation makes its batch fail
test.each([
  ['a deadlock', '40P01'],
  ['a constraint', '23505'],
  ['a value', '22021'],
  ['a cancel', '57014'],
])('a batch that %s undoes is done one by one, in its order', async (_, code) => {
  const { ledger, statements } = openLedger()
  const ends = releaseEach(ledger, 4)
  await statements[0]?.answer()

  await statements[1]?.fail(serverError(code))
  for (const index of [2, 3, 4]) {
    expect(statements.length).toBe(index + 1)
    await statements[index]?.answer()
  }

  expect(await ends).toEqual([true, true, true, true])
  expect(sizesOf(statements)).toEqual([1, 3, 1, 1, 1])
})

// Promise: The connection breaks in a batch, or right after it was done
test.each([
  ['ended its backend', serverError('57P01')],
  ['is full', serverError('53100')],
  ['broke the connection', new Error('Connection terminated unexpectedly')],
  ['went away', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
])('a batch is not repeated where the server %s: each of it fails', async (_, error) => {
  const { ledger, statements } = openLedger()
  const ends = releaseEach(ledger, 3)
  await statements[0]?.answer()

  await statements[1]?.fail(error)

  expect(await ends).toEqual([true, error, error])
  expect(sizesOf(statements)).toEqual([1, 2])
})

function serverError(code: string): Error {
  return Object.assign(new pg.DatabaseError(code, 0, 'error'), { code })
}
