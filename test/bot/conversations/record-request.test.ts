import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordSending } from '../../../src/bot/conversations/record-request.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const QUESTION = 50
const OWNER = 1

let database: TestDatabase
let lastChatId = 100
let lastUpdateId = 0
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

async function setUp() {
  const { prisma } = database
  const chatId = ++lastChatId
  await prisma.user.create({ data: { id: chatId, firstName: 'Anna' } })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId } })
  const comes = async (
    kind: 'message' | 'edited_message',
    messageId: number,
    { threadId = 0 } = {},
  ): Promise<void> => {
    const payload = { [kind]: { message_id: messageId } }
    const threadKey = `${chatId} ${threadId}`
    await prisma.update.create({ data: { id: ++lastUpdateId, threadKey, payload } })
  }
  const addTurn = (promptMessageId: number, messageIds: number[] = []) => {
    const turn = { conversationId, userId: chatId, chatId, model: 'alpha', promptMessageId }
    return prisma.turn.create({ data: { ...turn, messageIds, leaseOwner: OWNER } })
  }
  await comes('message', QUESTION)
  return {
    comes,
    addTurn,
    isSeparated: async () => {
      const { id, createdAt } = await addTurn(QUESTION)
      const asked = { id, chatId, threadId: 0, promptMessageId: QUESTION, createdAt }
      return recordSending(prisma, asked, OWNER)
    },
  }
}

test('a question below which nothing was sent is next to its answer', async () => {
  const { comes, addTurn, isSeparated } = await setUp()
  await comes('message', QUESTION - 1)
  await comes('message', QUESTION + 1, { threadId: 7 })
  await comes('edited_message', QUESTION)
  await addTurn(QUESTION - 2, [QUESTION - 1])

  expect(await isSeparated()).toBe(false)
})

test('a message or command that came right after the question stands between', async () => {
  const { comes, isSeparated } = await setUp()

  await comes('message', QUESTION + 1)

  expect(await isSeparated()).toBe(true)
})

test('a later message of another answer stands between', async () => {
  const { addTurn, isSeparated } = await setUp()

  await addTurn(QUESTION - 2, [QUESTION - 1, QUESTION + 1])

  expect(await isSeparated()).toBe(true)
})
