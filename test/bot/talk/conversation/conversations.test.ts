import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  type Conversations,
  createConversations,
} from '../../../../src/bot/talk/conversation/conversations.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const PLACE = { chatId: 101, threadId: 0 }

let database: TestDatabase
let conversations: Conversations

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase(), connectionsMax: 10 })
  conversations = createConversations(database.prisma)
  onTestFinished(() => database.close())
})

test('current() makes one conversation, however many ask for the first', async () => {
  const asked = await Promise.all(Array.from({ length: 8 }, () => conversations.current(PLACE)))

  expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
  expect(await database.prisma.conversation.count()).toBe(1)
})

test('enter() goes back to an older conversation of the thread, and /new begins one after it', async () => {
  const first = await conversations.current(PLACE)
  const second = await conversations.begin(PLACE)

  expect(await conversations.enter(PLACE, first.id)).toBe(true)

  expect(await conversations.current(PLACE)).toMatchObject({ id: first.id })
  const third = await conversations.begin(PLACE)
  expect(third.id).not.toBe(second.id)
  expect(await conversations.current(PLACE)).toMatchObject({ id: third.id })
})

test('enter() does not go into a conversation of another chat or topic', async () => {
  const topic = await conversations.current({ ...PLACE, threadId: 7 })
  const other = await conversations.current({ chatId: 102, threadId: 0 })
  const own = await conversations.current(PLACE)

  const entered = [
    await conversations.enter(PLACE, topic.id),
    await conversations.enter(PLACE, other.id),
  ]

  expect(entered).toEqual([false, false])
  expect(await conversations.current(PLACE)).toMatchObject({ id: own.id })
})
