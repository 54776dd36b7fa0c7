import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSeparatedSql } from '../../../../src/bot/telegram/inbox/is-separated.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const QUESTION = 50
const BEGUN_AT = new Date('2026-11-22T10:00:01Z')

let database: TestDatabase
let lastChatId = 100
let lastUpdateId = 0
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

async function setUp() {
  const chatId = ++lastChatId
  const comes = async (
    kind: 'message' | 'edited_message' | 'callback_query',
    {
      atS = 1,
      messageId = QUESTION + 1,
      threadId = 0,
      isHandled = false,
      partOf = null as bigint | null,
    } = {},
  ): Promise<bigint> => {
    const at = new Date(Date.UTC(2026, 10, 22, 10, 0, atS))
    const { id } = await database.prisma.update.create({
      data: {
        id: ++lastUpdateId,
        conversationKey: `${chatId} ${threadId}`,
        sentAt: at,
        receivedAt: at,
        partOf,
        ...(isHandled
          ? { handledAt: at, releasedAt: at }
          : { payload: { [kind]: { message_id: messageId } } }),
      },
    })
    return id
  }
  const own = await comes('message', { atS: 0, messageId: QUESTION })
  const asked = { chatId, threadId: 0, promptMessageId: QUESTION, createdAt: BEGUN_AT }
  return {
    chatId,
    own,
    comes,
    isSeparated: async (given = {}) => {
      const sql = isSeparatedSql({ ...asked, ...given })
      const [row] = await database.prisma.$queryRaw<
        { isSeparated: boolean }[]
      >`SELECT ${sql} AS "isSeparated"`
      return row?.isSeparated
    },
  }
}

test('a question below which nothing was sent is next to its answer', async () => {
  const { chatId, own, comes, isSeparated } = await setUp()
  await comes('message', { atS: -5, messageId: QUESTION - 1, isHandled: true })
  await comes('message', { atS: 1, partOf: own })
  await comes('message', { atS: 2, threadId: 7 })
  await comes('edited_message', { atS: 2 })
  await addTurn(chatId, { promptMessageId: QUESTION - 2, messageIds: [QUESTION - 1] })

  expect(await isSeparated()).toBe(false)
})

test.each([
  { what: 'another question that waits', sent: { atS: 0 } },
  { what: 'a command that was answered meanwhile', sent: { atS: 2, isHandled: true } },
])('$what stands between', async ({ sent }) => {
  const { comes, isSeparated } = await setUp()

  await comes('message', sent)

  expect(await isSeparated()).toBe(true)
})

test('a later message of another answer stands between', async () => {
  const { chatId, isSeparated } = await setUp()

  await addTurn(chatId, { promptMessageId: QUESTION - 2, messageIds: [QUESTION - 1, QUESTION + 1] })

  expect(await isSeparated()).toBe(true)
})

async function addTurn(
  chatId: number,
  given: { promptMessageId: number; messageIds: number[] },
): Promise<void> {
  const { prisma } = database
  const where = { id: chatId }
  await prisma.user.upsert({ where, create: { ...where, firstName: 'Anna' }, update: {} })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId } })
  const turn = { conversationId, userId: chatId, chatId, model: 'alpha', ...given }
  await prisma.turn.create({ data: { ...turn, state: 'finished' } })
}
