import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import type { TurnCost } from '../../../../src/bot/spend/charges/turn-cost.ts'
import type { Turn } from '../../../../src/bot/talk/turns/turn.ts'
import { createTurns, type Turns } from '../../../../src/bot/talk/turns/turns.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { reserveInUtc } from '../../spend/limits/reserve-in-utc.ts'

const COST: TurnCost = {
  amountMicroRub: 150n,
  estimated: false,
  usage: { promptTokens: 10, completionTokens: 3, totalTokens: 13 },
}

let database: TestDatabase
let turns: Turns
let turn: Turn

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  turns = createTurns({
    prisma: database.prisma,
    leaseOwner: 1,
    calendar: createCalendar({ timeZone: 'UTC' }),
    reserve: reserveInUtc,
  })
  const prompt = {
    chatId: 700,
    threadId: 0,
    messageId: 7,
    text: 'Hello',
    sentAt: new Date(),
    user: { id: 700, firstName: 'Anna' },
  }
  turn = (await turns.begin(prompt, { choice: { otherwise: 'alpha-large' } })).turn
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
      chatId: 700n,
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

test('a turn that its user erased is charged all the same', async () => {
  await turns.end(turn, { state: 'stopped', text: '' })
  await database.prisma.message.deleteMany({ where: { turnId: turn.id } })
  await database.prisma.turn.delete({ where: { id: turn.id } })

  await turns.charge(turn, COST)

  expect(await charges()).toMatchObject([{ userId: 700n, turnId: null, amountMicroRub: 150n }])
})

function end(text: string, cost: TurnCost) {
  return { state: 'finished', text, cost } as const
}

function charges() {
  return database.prisma.charge.findMany({ orderBy: { id: 'asc' } })
}
