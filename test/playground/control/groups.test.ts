import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

async function openGroup() {
  const opened = await openPlayground()
  opened.playground.addUser({ id: 6, firstName: 'Bob', languageCode: 'ru' })
  opened.playground.addGroup({ id: -20, title: 'Team', members: [5, 6] })
  return opened
}

test('an answer carries the message it answers and what it quotes of it', async () => {
  const { api, playground } = await openGroup()
  const own = await api.sendMessage(-20, 'one two three')

  playground.userSends({
    userId: 6,
    chatId: -20,
    text: 'why two?',
    replyToMessageId: own.message_id,
    quote: 'two',
  })

  const [update] = await api.getUpdates()
  expect(update?.message).toMatchObject({
    from: { id: 6, language_code: 'ru' },
    reply_to_message: { message_id: own.message_id, text: 'one two three' },
    quote: { text: 'two', position: 4, is_manual: true },
  })
  expect(playground.transcript(-20)[1]).toMatchObject({ quote: { text: 'two' } })
  const misquoted = { userId: 6, chatId: -20, text: 'a', quote: 'four' }
  expect(() => playground.userSends(misquoted)).toThrow('no such text')
})

test('a person can format, and mention the bot without its name', async () => {
  const { api, playground } = await openGroup()
  const user = { ...(await api.getMe()) }

  playground.userSends({
    userId: 5,
    chatId: -20,
    text: 'Kopeck, look',
    entities: [
      { type: 'text_mention', offset: 0, length: 6, user },
      { type: 'bold', offset: 8, length: 4 },
    ],
  })

  const [update] = await api.getUpdates()
  expect(update?.message?.entities?.map(({ type }) => type)).toEqual(['text_mention', 'bold'])
})

test('a bot that is added to a group, promoted and restricted gets an update each time', async () => {
  const { api, refusalOf, playground } = await openGroup()
  playground.addGroup({ id: -21, title: 'Club', members: [5], botStatus: 'left' })

  for (const status of ['member', 'administrator', 'restricted'] as const) {
    playground.setBotStatus(-21, status)
  }

  const updates = await api.getUpdates()
  expect(updates.map((update) => update.my_chat_member?.new_chat_member.status)).toEqual([
    'member',
    undefined,
    'administrator',
    'restricted',
  ])
  expect(updates[1]?.message?.new_chat_members).toMatchObject([{ id: playground.me.id }])
  expect(await refusalOf('sendMessage', { chat_id: -21, text: 'a' })).toBe(
    'Bad Request: not enough rights to send text messages to the chat',
  )
  const rich = { chat_id: -21, rich_message: { markdown: 'a' } }
  expect(await refusalOf('sendRichMessage', rich)).toBe(
    'Bad Request: not enough rights to send the rich message to the chat',
  )
})

test('an edited caption stays with its picture', async () => {
  const { api, playground } = await openGroup()
  const photo = { bytes: Buffer.from('x') }
  const { message_id } = playground.userSends({ userId: 5, photo, caption: 'one' })

  playground.userEdits({ userId: 5, messageId: message_id, text: 'two' })

  const updates = await api.getUpdates()
  expect(updates[1]?.edited_message).toMatchObject({ caption: 'two', photo: [{}] })
})
