import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createTurns, type Turns } from '../../../../src/bot/talk/turns/turns.ts'
import type { Prompt } from '../../../../src/bot/telegram/addressing/to-prompt.ts'
import { recordPlans } from '../../../platform/database/made-plans.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { reserveInUtc } from '../../spend/limits/reserve-in-utc.ts'

const PROMPT: Prompt = {
  chatId: 700,
  threadId: 0,
  messageId: 7,
  text: 'Hello',
  sentAt: new Date('2026-11-21T10:00:00Z'),
  user: { id: 700, firstName: 'Anna', languageCode: 'ru' },
}
const choice = { otherwise: 'default-model' }

let database: TestDatabase
let turns: Turns

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  turns = createTurns({
    prisma: database.prisma,
    leaseOwner: 1,
    calendar: createCalendar({ timeZone: 'UTC' }),
    reserve: reserveInUtc,
  })
})

test('begin() keeps the turn, its message and who asked, and find() reads the same', async () => {
  const { turn: begun } = await turns.begin(PROMPT, { choice })

  expect(begun).toMatchObject({ state: 'streaming', model: 'default-model', messageIds: [] })
  expect(await turns.find(PROMPT)).toEqual(begun)
  const messages = await database.prisma.message.findMany()
  expect(messages).toMatchObject([{ turnId: begun.id, role: 'user', content: 'Hello' }])
  expect(await database.prisma.user.findMany()).toMatchObject([{ id: 700n, languageCode: 'ru' }])
})

test('begin() of one message by several at once makes one turn, in one conversation', async () => {
  const begun = await Promise.all(Array.from({ length: 8 }, () => turns.begin(PROMPT, { choice })))

  expect(new Set(begun.map(({ turn }) => turn.id)).size).toBe(1)
  expect(await database.prisma.turn.count()).toBe(1)
  expect(await database.prisma.message.count()).toBe(1)
  expect(await database.prisma.conversation.count()).toBe(1)
})

test('begin() takes the model of the conversation and leaves a chosen language alone', async () => {
  const { prisma } = database
  await prisma.conversation.create({ data: { chatId: 700, model: 'chosen-model' } })
  await prisma.user.create({ data: { id: 700, firstName: 'Ann', languageCode: 'en' } })

  const { turn: begun } = await turns.begin(PROMPT, { choice, heldReason: 'late' })

  expect(begun).toMatchObject({ model: 'chosen-model', state: 'held', heldReason: 'late' })
  const user = await prisma.user.findUniqueOrThrow({ where: { id: 700 } })
  expect(user).toMatchObject({ firstName: 'Anna', languageCode: 'en' })
})

test.each([7_000_000_700, -1_001_234_567_890])(
  'begin() in a chat of the id %i, which 32 bits do not hold, begins its first conversation',
  async (chatId) => {
    const { turn } = await turns.begin({ ...PROMPT, chatId }, { choice })

    expect(turn.chatId).toBe(chatId)
    expect(await turns.find({ ...PROMPT, chatId })).toEqual(turn)
  },
)

test('what is shown of replies is recorded by one plan of Prisma, whatever messages they have', async () => {
  const { turn } = await turns.begin(PROMPT, { choice })
  const shown = { shownText: 'Hello', maybeDoubleIds: [], mayHaveSent: false }
  await turns.recordShown(turn.id, { ...shown, messageIds: [8] })
  const plans = await recordPlans()

  await turns.recordShown(turn.id, { ...shown, messageIds: [8, 9, 10] })

  expect(plans).toEqual([])
  expect(await turns.find(PROMPT)).toMatchObject({ messageIds: [8, 9, 10], shownText: 'Hello' })
})
