import { randomUUID } from 'node:crypto'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { readHistory } from '../../../../src/bot/talk/conversation/history.ts'
import { createAttempts } from '../../../../src/bot/talk/turns/attempts.ts'
import type { Turn, TurnEnd } from '../../../../src/bot/talk/turns/turn.ts'
import { createTurns, type Turns } from '../../../../src/bot/talk/turns/turns.ts'
import { pressOrigin } from '../../../../src/bot/telegram/origin-key.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { reserveInUtc } from '../../spend/limits/reserve-in-utc.ts'

let database: TestDatabase
let turns: Turns

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  const { id: leaseOwner } = await database.prisma.instance.create({ data: { works: ['bot'] } })
  turns = createTurns({
    prisma: database.prisma,
    leaseOwner,
    calendar: createCalendar({ timeZone: 'UTC' }),
    reserve: reserveInUtc,
  })
})

test('an answer counts until its variant has one, which does not read it', async () => {
  const first = await answered('Hello', 'Hi.')
  const variant = await vary(first)

  expect(await readWords(variant)).toEqual(['Hello'])
  expect(await readWords()).toEqual(['Hello', 'Hi.'])

  await end(variant, { state: 'finished', text: 'Hey.' })

  expect(await readWords()).toEqual(['Hello', 'Hey.'])
})

// Promise: Another answer is refused, breaks off, meets a limit or is taken back
test.each<[string, TurnEnd]>([
  ['failed', { state: 'failed', text: 'He', errorCode: 'stream_broken' }],
  ['was stopped before it was asked', { state: 'stopped', text: '', errorCode: 'not_asked' }],
])('an answer whose variant %s counts until a next one is there', async (_what, how) => {
  const first = await answered('Hello', 'Hi.')
  const variant = await end(await vary(first), how)

  expect(await readWords()).toEqual(['Hello', 'Hi.'])

  await attempts().replace(variant, {
    conversation: 'same',
    inPlace: false,
    chooseModel,
    originKey: pressOrigin('retry'),
  })
  const retried = await successor(variant)
  expect(await readWords(retried)).toEqual(['Hello'])
  await end(retried, { state: 'finished', text: 'Hey.' })

  expect(await readWords()).toEqual(['Hello', 'Hey.'])
})

// Promise: Again is pressed while the next message begins
test('of variants that are asked for at once, or after a next message, none but the first begins', async () => {
  const first = await answered('Hello', 'Hi.')
  await Promise.all([vary(first), vary(first)])
  expect(await database.prisma.turn.count()).toBe(2)
  await end(await successor(first), { state: 'finished', text: 'Hey.' })
  const next = await begin('And you?')

  await attempts().replace(await successor(first), variantOf())
  expect(await database.prisma.turn.count()).toBe(3)
  expect(await readWords(next)).toEqual(['Hello', 'Hey.', 'And you?'])
})

function attempts() {
  return createAttempts(database.prisma)
}

function chooseModel(): string {
  return 'alpha'
}

function variantOf() {
  const originKey = pressOrigin(randomUUID())
  return { conversation: 'same', inPlace: false, isVariant: true, originKey, chooseModel } as const
}

async function vary(turn: Turn): Promise<Turn> {
  await attempts().replace(turn, variantOf())
  return successor(turn)
}

async function successor(turn: Turn): Promise<Turn> {
  const next = await turns.findSuccessor(turn)
  if (next === undefined) throw new Error('No successor')
  return next
}

let lastMessageId = 0

async function begin(text: string): Promise<Turn> {
  const prompt = { chatId: 700, threadId: 0, messageId: ++lastMessageId, text, sentAt: new Date() }
  const user = { id: 700, firstName: 'Anna' }
  return (await turns.begin({ ...prompt, user }, { choice: { otherwise: 'alpha' } })).turn
}

async function answered(text: string, answer: string): Promise<Turn> {
  return end(await begin(text), { state: 'finished', text: answer })
}

async function end(turn: Turn, how: TurnEnd): Promise<Turn> {
  const taken = await turns.takeUp(turn)
  if (taken === undefined) throw new Error('Not taken up')
  const ended = await turns.end(taken, how)
  await turns.close(ended.id)
  return ended
}

async function readWords(turn?: Turn): Promise<string[]> {
  const { id: conversationId } = await database.prisma.conversation.findFirstOrThrow()
  const history = await readHistory(database.prisma, { conversationId, ...(turn && { turn }) })
  return history.map(({ message }) => message.content)
}
