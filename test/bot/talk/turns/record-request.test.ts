import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
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

test('the first request of a turn is no charge yet', async () => {
  await turns.recordRequest(turn.id, estimate(90n))

  expect(await charges()).toEqual([])
  expect(await turns.read(turn.id)).toMatchObject({ requests: 1, requestMicroRub: 90n })
})

test('a request whose end a crash hid has a row at its own estimate, written off at once', async () => {
  await turns.recordRequest(turn.id, estimate(90n))

  await turns.recordRequest(turn.id, estimate(120n))

  const [hidden, reversal] = await charges()
  expect(hidden).toMatchObject({ ...HIDDEN, turnId: turn.id, request: 1, amountMicroRub: 90n })
  expect(reversal).toMatchObject({ ...HIDDEN, request: 1, amountMicroRub: -90n, writtenOff: true })
  expect(reversal?.reversalOfId).toBe(hidden?.id)
  expect(await database.prisma.spendTotal.findMany()).toMatchObject([
    { userId: 700n, chatId: -70n, charges: 1, amountMicroRub: 0n, writtenOffMicroRub: 90n },
  ])
})

// Promise: A process ends between the request of a turn and its answer, however often
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
  expect(rows.map(({ request, amountMicroRub }) => [request, amountMicroRub])).toEqual([
    ...[
      [1, 90n],
      [1, -90n],
    ],
    ...[
      [2, 90n],
      [2, -90n],
    ],
    [3, 40n],
  ])
  expect(rows.at(-1)?.kind).toBe('answer')
  expect((await turns.read(turn.id))?.charge).toEqual({ amountMicroRub: 40n, estimated: false })
})

// Promise: A process ends while it asks, and the turn then ends without another request: it is stopped, or a limit leaves no room
test.each([
  { state: 'stopped', errorCode: 'not_asked' },
  { state: 'failed', errorCode: 'limit_reached' },
  { state: 'failed', errorCode: 'internal' },
] as const)('a hidden request of a turn that ends as $errorCode is written off', async (end) => {
  await turns.recordRequest(turn.id, estimate(90n))

  await turns.end(turn, { ...end, text: '' })

  const rows = await charges()
  expect(rows).toMatchObject([HIDDEN, HIDDEN])
  expect(rows.map(({ amountMicroRub }) => amountMicroRub)).toEqual([90n, -90n])
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

test('another attempt at a message that was paid for is a retry', async () => {
  const cost = { amountMicroRub: 40n, estimated: false }
  await turns.end(turn, { state: 'finished', text: 'Hi', cost })
  const { id: replacesId, conversationId, userId, chatId, promptMessageId, model } = turn
  const asked = { conversationId, userId, chatId, promptMessageId, model }
  const again = await database.prisma.turn.create({ data: { ...asked, attempt: 2, replacesId } })

  await turns.charge({ ...turn, id: again.id }, cost)

  expect((await charges()).map(({ kind }) => kind)).toEqual(['answer', 'retry'])
})

// Promise: A failure of the bot itself ends a turn that was asked
test('a failure of the bot itself is shown as free, and written off', async () => {
  await turns.recordRequest(turn.id, estimate(90n))

  const ended = await turns.end(turn, {
    state: 'failed',
    errorCode: 'internal',
    text: '',
    cost: { amountMicroRub: 90n, estimated: true, isWrittenOff: true },
  })

  expect(ended.charge).toBeUndefined()
  expect((await turns.read(turn.id))?.charge).toBeUndefined()
  expect((await charges()).map(({ amountMicroRub }) => amountMicroRub)).toEqual([90n, -90n])
})

function estimate(amountMicroRub: bigint) {
  return { amountMicroRub, estimated: true }
}

function charges() {
  return database.prisma.charge.findMany({ orderBy: { id: 'asc' } })
}
