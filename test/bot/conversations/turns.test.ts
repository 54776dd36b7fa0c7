import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Turn } from '../../../src/bot/conversations/turn.ts'
import { Turns } from '../../../src/bot/conversations/turns.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import type { TurnCost } from '../../../src/bot/spend/costs.ts'
import { checkSums } from '../../../src/bot/spend/sums.ts'
import { LeaseLostError } from '../../../src/platform/database/instance/instance.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { limitsInUtc } from '../spend/limits-setup.ts'

const CALENDAR = createCalendar({ timeZone: 'UTC' })
const PROMPT = {
  chatId: -70,
  threadId: 0,
  messageId: 7,
  text: 'Hello',
  sentAt: new Date(),
  user: { id: 700, firstName: 'Anna' },
}
const HIDDEN = { userId: 700n, chatId: -70n, kind: 'answer', estimated: true } as const
const COST: TurnCost = {
  amountMicroRub: 150n,
  estimated: false,
  usage: { promptTokens: 10, completionTokens: 3 },
}
const ESTIMATE = { amountMicroRub: 90n, estimated: true }

let database: TestDatabase
let turns: Turns
let turn: Turn

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  turns = openTurns(1)
  turn = await begin()
})

function openTurns(leaseOwner: number): Turns {
  const { prisma } = database
  const spend = { calendar: CALENDAR, limits: limitsInUtc(prisma) }
  return new Turns({ prisma, leaseOwner, telegramNow: () => undefined, spend })
}

async function begin(): Promise<Turn> {
  return (await turns.begin(PROMPT, { choice: { otherwise: 'alpha-large' } })).turn
}

test('begin() of one message by several at once makes one turn, in one conversation', async () => {
  const prompt = { ...PROMPT, chatId: 71 }
  const choice = { otherwise: 'alpha-large' }

  const begun = await Promise.all(Array.from({ length: 8 }, () => turns.begin(prompt, { choice })))

  expect(new Set(begun.map((one) => one.turn.id)).size).toBe(1)
  const where = { chatId: 71 }
  expect(await database.prisma.turn.count({ where })).toBe(1)
  expect(await database.prisma.conversation.count({ where })).toBe(1)
})

test('a turn is begun as it is read, with the cost note of its user, else the one for everybody', async () => {
  const { prisma } = database
  const { id, costNote, ...begun } = turn
  expect(await turns.read(id)).toEqual({ id, ...begun })
  expect(costNote).toBe(5_000_000n)

  await prisma.setting.create({ data: { name: 'cost_note_from_micro_rub', value: 'off' } })
  const choice = { otherwise: 'alpha-large' }
  const next = await turns.begin({ ...PROMPT, messageId: 1001 }, { choice })
  expect(next.turn.costNote).toBe('off')

  await prisma.user.update({ where: { id: PROMPT.user.id }, data: { costNote: '7' } })
  const last = await turns.begin({ ...PROMPT, messageId: 1002 }, { choice })
  expect(last.turn.costNote).toBe(7n)
  await prisma.setting.deleteMany()
})

test('a turn that racing processes end has one answer and one charge, of the first', async () => {
  const ends = await Promise.all(
    ['one', 'two', 'three'].map((text) => turns.end(turn, end(text, COST))),
  )

  const answers = new Set(ends.map(({ answer }) => answer))
  expect(answers.size).toBe(1)
  expect(ends[0]).toMatchObject({ state: 'finished', charge: { amountMicroRub: 150n } })
  expect(await database.prisma.message.findMany({ where: { role: 'assistant' } })).toMatchObject([
    {
      turnId: turn.id,
      content: ends[0]?.answer,
      model: 'alpha-large',
      promptTokens: 10,
      completionTokens: 3,
      costMicroRub: 150n,
    },
  ])
  expect(await charges()).toMatchObject([
    {
      turnId: turn.id,
      userId: 700n,
      chatId: -70n,
      request: 1,
      kind: 'answer',
      item: 'alpha-large',
      promptTokens: 10,
      completionTokens: 3,
      amountMicroRub: 150n,
      estimated: false,
    },
  ])
})

test('a turn that cost nothing known is charged later, once, and its answer shows it', async () => {
  await turns.end(turn, { state: 'stopped', text: 'Half an' })
  expect(await charges()).toEqual([])

  await turns.charge(turn, COST)
  await turns.charge(turn, { amountMicroRub: 999n, estimated: true })

  expect(await charges()).toMatchObject([{ amountMicroRub: 150n, estimated: false }])
  expect(await database.prisma.message.findFirst({ where: { role: 'assistant' } })).toMatchObject({
    promptTokens: 10,
    completionTokens: 3,
    costMicroRub: 150n,
  })
})

test('each hidden request has one row, and the answer that comes in the end is not called a retry', async () => {
  await turns.recordRequest(turn.id, ESTIMATE)
  await turns.recordRequest(turn.id, ESTIMATE)
  await turns.recordRequest(turn.id, ESTIMATE)
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
  await turns.recordRequest(turn.id, ESTIMATE)

  await turns.end(turn, { ...end, text: '' })

  expect(await charges()).toMatchObject([
    { ...HIDDEN, amountMicroRub: 0n, writtenOffMicroRub: 90n },
  ])
  expect(await database.prisma.turn.count({ where: { heldMicroRub: { not: null } } })).toBe(0)
})

test('a request that the service refused has no row', async () => {
  await turns.recordRequest(turn.id, ESTIMATE)
  await turns.recordRefusal(turn.id)

  await turns.recordRequest(turn.id, ESTIMATE)
  await turns.recordRefusal(turn.id)
  await turns.end(turn, { state: 'stopped', errorCode: 'not_asked', text: '' })

  expect(await charges()).toEqual([])
})

test('a process that lost its lease records no request, and writes nothing off', async () => {
  await turns.recordRequest(turn.id, ESTIMATE)
  const other = openTurns(2)

  await expect(other.recordRequest(turn.id, ESTIMATE)).rejects.toThrow(LeaseLostError)

  expect(await charges()).toEqual([])
  expect((await turns.read(turn.id))?.requests).toBe(1)
})

test('a charge has what its user pays, and what is written off beside it; the sum of its day has both', async () => {
  await turns.recordRequest(turn.id, ESTIMATE)

  const cost = { amountMicroRub: 20n, writtenOffMicroRub: 70n, estimated: true }
  const ended = await turns.end(turn, { state: 'interrupted', text: 'Hi', cost })

  expect(ended.charge).toEqual(cost)
  expect((await turns.read(turn.id))?.charge).toEqual(cost)
  expect(await charges()).toMatchObject([{ ...HIDDEN, ...cost, request: 1 }])
  const sums = { charges: 1, amountMicroRub: 20n, estimatedMicroRub: 20n, writtenOffMicroRub: 70n }
  expect(await database.prisma.spendDay.findMany()).toMatchObject([sums])
  expect((await turns.read(turn.id))?.heldMicroRub).toBeNull()
  expect(await checkSums(database.prisma)).toMatchObject({
    amountMicroRub: 20n,
    writtenOffMicroRub: 70n,
    differences: [],
  })
})

function end(text: string, cost: TurnCost) {
  return { state: 'finished', text, cost } as const
}

function charges() {
  return database.prisma.charge.findMany({ orderBy: { id: 'asc' } })
}
