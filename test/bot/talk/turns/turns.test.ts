import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createTurns, type Turns } from '../../../../src/bot/talk/turns/turns.ts'
import type { Prompt } from '../../../../src/bot/telegram/addressing/to-prompt.ts'
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

test('begin() of one message by several at once makes one turn, in one conversation', async () => {
  const begun = await Promise.all(Array.from({ length: 8 }, () => turns.begin(PROMPT, { choice })))

  expect(new Set(begun.map(({ turn }) => turn.id)).size).toBe(1)
  expect(await database.prisma.turn.count()).toBe(1)
  expect(await database.prisma.message.count()).toBe(1)
  expect(await database.prisma.conversation.count()).toBe(1)
})
