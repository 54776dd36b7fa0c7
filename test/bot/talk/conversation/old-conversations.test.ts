import { expect, test } from 'vitest'
import { createConversations } from '../../../../src/bot/talk/conversation/conversations.ts'
import { migrate } from '../../../../src/platform/database/migrate.ts'
import { openOldDatabase } from '../../../platform/database/open-old-database.ts'

/** The current conversation was the newest. */
const ENTERED = '20261122120200_entered_conversations'

test('a chat of before stays in its newest conversation, and may go back to an older one', async () => {
  const { url, pool, prisma } = await openOldDatabase({ before: ENTERED })
  await pool.query(`
    INSERT INTO bot.conversation (id, chat_id, thread_id, created_at) VALUES
      (1, 501, 0, '2026-11-20T10:00Z'), (2, 501, 0, '2026-11-21T10:00Z'),
      -- Two within one instant.
      (3, 501, 7, '2026-11-21T10:00Z'), (4, 501, 7, '2026-11-21T10:00Z')`)

  await migrate(url)

  const conversations = createConversations(prisma)
  const chat = { chatId: 501, threadId: 0 }
  expect(await conversations.current(chat)).toMatchObject({ id: 2n })
  expect(await conversations.current({ chatId: 501, threadId: 7 })).toMatchObject({ id: 4n })
  await conversations.enter(chat, 1n)
  expect(await conversations.current(chat)).toMatchObject({ id: 1n })
})
