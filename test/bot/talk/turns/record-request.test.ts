import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { checkSums } from '../../../../src/bot/spend/check/check-sums.ts'
import type { Turn } from '../../../../src/bot/talk/turns/turn.ts'
import { createTurns, type Turns } from '../../../../src/bot/talk/turns/turns.ts'
import { LeaseLostError } from '../../../../src/platform/database/instance/instance.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { reserveInUtc } from '../../spend/limits/reserve-in-utc.ts'

const OURS = 1
const CALENDAR = createCalendar({ timeZone: 'UTC' })
const HIDDEN = { userId: 700n, chatId: -70n, kind: 'answer', estimated: true } as const

let database: TestDatabase
let turns: Turns
let turn: Turn

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  turns = createTurns({
    prisma: database.prisma,
    leaseOwner: OURS,
    calendar: CALENDAR,
    reserve: reserveInUtc,
  })
  const prompt = {
    chatId: -70,
    threadId: 0,
    messageId: 7,
    text: 'Hello',
    sentAt: new Date(),
    user: { id: 700, firstName: 'Anna' },
  }
  turn = (await turns.begin(prompt, { choice: { otherwise: 'alpha-large' } })).turn
})

test('each hidden request has one row, and the answer that comes in the end is not called a retry', async () => {
  await turns.recordRequest(turn.id, estimate(90n))
  await turns.recordRequest(turn.id, estimate(90n))
  await turns.recordRequest(turn.id, estimate(90n))
  await turns.end(turn, {
    state: 'finished',
    text: 'Hi',
    cost: { amountMicroRub: 40n, estimated: false },
  })

  const rows = await charges()
  expect(rows).toMatchObject([
    { request: 1, amountMicroRub: 0n, writtenOffMicroRub: 90n },
    { request: 2, amountMicroRub: 0n, writtenOffMicroRub: 90n },
    { request: 3, amountMicroRub: 40n, writtenOffMicroRub: 0n },
  ])
  expect(rows.at(-1)?.kind).toBe('answer')
  expect((await turns.read(turn.id))?.charge).toMatchObject({
    amountMicroRub: 40n,
    estimated: false,
  })
})

test.each([
  { state: 'stopped', errorCode: 'not_asked' },
  { state: 'failed', errorCode: 'limit_reached' },
  { state: 'failed', errorCode: 'internal' },
] as const)('a hidden request of a turn that ends as $errorCode is written off', async (end) => {
  await turns.recordRequest(turn.id, estimate(90n))

  await turns.end(turn, { ...end, text: '' })

  expect(await charges()).toMatchObject([
    { ...HIDDEN, amountMicroRub: 0n, writtenOffMicroRub: 90n },
  ])
  expect(await database.prisma.reservation.count()).toBe(0)
})

test('a request that the service refused has no row', async () => {
  await turns.recordRequest(turn.id, estimate(90n))
  await turns.recordRefusal(turn.id)

  await turns.recordRequest(turn.id, estimate(90n))
  await turns.recordRefusal(turn.id)
  await turns.end(turn, { state: 'stopped', errorCode: 'not_asked', text: '' })

  expect(await charges()).toEqual([])
})

test('a process that lost its lease records no request, and writes nothing off', async () => {
  await turns.recordRequest(turn.id, estimate(90n))
  const other = createTurns({
    prisma: database.prisma,
    leaseOwner: 2,
    calendar: CALENDAR,
    reserve: reserveInUtc,
  })

  await expect(other.recordRequest(turn.id, estimate(90n))).rejects.toThrow(LeaseLostError)

  expect(await charges()).toEqual([])
  expect((await turns.read(turn.id))?.requests).toBe(1)
})

test('a charge has what its user pays, and what is written off beside it; sums and counters tell both', async () => {
  await turns.recordRequest(turn.id, estimate(90n))

  const cost = { amountMicroRub: 20n, writtenOffMicroRub: 70n, estimated: true }
  const ended = await turns.end(turn, { state: 'interrupted', text: 'Hi', cost })

  expect(ended.charge).toEqual(cost)
  expect((await turns.read(turn.id))?.charge).toEqual(cost)
  expect(await charges()).toMatchObject([{ ...HIDDEN, ...cost, request: 1 }])
  const sums = { charges: 1, amountMicroRub: 20n, estimatedMicroRub: 20n, writtenOffMicroRub: 70n }
  expect(await database.prisma.spendTotal.findMany()).toMatchObject([sums])
  expect(await database.prisma.spendDay.findMany()).toMatchObject([sums])
  expect(await database.prisma.spender.findMany()).toMatchObject([
    { totalMicroRub: 20n, reservedMicroRub: 0n },
    { totalMicroRub: 20n, reservedMicroRub: 0n },
  ])
  expect(await checkSums(database.prisma)).toMatchObject({
    amountMicroRub: 20n,
    writtenOffMicroRub: 70n,
    differences: [],
  })
})

function estimate(amountMicroRub: bigint) {
  return { amountMicroRub, estimated: true }
}

function charges() {
  return database.prisma.charge.findMany({ orderBy: { id: 'asc' } })
}
