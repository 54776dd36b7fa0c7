import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { conversationKeyOf } from '../../../../src/bot/telegram/inbox/update-facts.ts'
import { messageUpdate } from './inbox-setup.ts'

const { message } = messageUpdate(1, 'hello', { chatId: 7, date: 100 })

test.each<[string, object, string | undefined]>([
  ['a message', { message }, '7 0'],
  [
    'a message in a topic',
    { message: { ...message, message_thread_id: 3, is_topic_message: true } },
    '7 3',
  ],
  ['an answer in an ordinary group', { message: { ...message, message_thread_id: 3 } }, '7 0'],
  ['an edit', { edited_message: { ...message, edit_date: 101 } }, '7 0'],
  ['/stop', { message: { ...message, text: '/stop@bot now' } }, undefined],
  ['a button', { callback_query: { message, data: 'stop' } }, undefined],
  ['a button that begins a turn', { callback_query: { message, data: 'retry' } }, '7 0'],
])('the conversation key of %s is %s', (_what, content, key) => {
  const beginsTurn = (data: string | undefined) => data === 'retry'

  expect(conversationKeyOf({ update_id: 1, ...content } as Update, beginsTurn)).toBe(key)
})
