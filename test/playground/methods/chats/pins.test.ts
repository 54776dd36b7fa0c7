import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const GROUP = -1_000_000_000_050

async function openGroup() {
  const opened = await openPlayground()
  opened.playground.addGroup({
    id: GROUP,
    title: 'Team',
    members: [5],
    isForum: true,
    botStatus: 'administrator',
  })
  return opened
}

test('a pin has a service message in the chat, and the newest one is what getChat() shows', async () => {
  const { api } = await openGroup()
  const one = await api.sendMessage(GROUP, 'one')
  const two = await api.sendMessage(GROUP, 'two')

  await api.pinChatMessage(GROUP, one.message_id)
  await api.pinChatMessage(GROUP, two.message_id)
  const pinned = async () => (await api.getChat(GROUP)).pinned_message?.message_id

  expect(await pinned()).toBe(two.message_id)
  const pins = (await api.getUpdates()).map(({ message }) => message?.pinned_message?.message_id)
  expect(pins).toEqual([one.message_id, two.message_id])
  await api.unpinChatMessage(GROUP)
  expect(await pinned()).toBe(one.message_id)
  await api.unpinAllChatMessages(GROUP)
  expect(await pinned()).toBeUndefined()
})

test('a deleted message is pinned no longer', async () => {
  const { api } = await openGroup()
  const { message_id } = await api.sendMessage(GROUP, 'one')
  await api.pinChatMessage(GROUP, message_id)

  await api.deleteMessage(GROUP, message_id)

  expect((await api.getChat(GROUP)).pinned_message).toBeUndefined()
})

test('the pins of one topic are taken away without the others', async () => {
  const { api, playground } = await openGroup()
  const threadId = playground.addTopic(GROUP, 'Cats')
  const general = await api.sendMessage(GROUP, 'in General')
  const topic = await api.sendMessage(GROUP, 'meow', { message_thread_id: threadId })
  await api.pinChatMessage(GROUP, general.message_id)
  await api.pinChatMessage(GROUP, topic.message_id)
  const pinned = async () => (await api.getChat(GROUP)).pinned_message?.message_id

  await api.unpinAllForumTopicMessages(GROUP, threadId)
  expect(await pinned()).toBe(general.message_id)
  await api.unpinAllGeneralForumTopicMessages(GROUP)
  expect(await pinned()).toBeUndefined()
})

test('pins need a message that is there, and the right to pin', async () => {
  const { api, refusalOf, playground } = await openGroup()
  const { message_id } = await api.sendMessage(GROUP, 'one')
  const call = (method: string, params = {}) => refusalOf(method, { chat_id: GROUP, ...params })

  expect(await call('pinChatMessage', { message_id: 999 })).toBe(
    'Bad Request: message to pin not found',
  )
  expect(await call('unpinChatMessage')).toBe('Bad Request: message to unpin not found')
  expect(await call('unpinChatMessage', { message_id: 999 })).toBe(
    'Bad Request: message to unpin not found',
  )
  expect(await call('unpinAllForumTopicMessages', { message_thread_id: 999 })).toBe(
    'Bad Request: message thread not found',
  )
  await api.pinChatMessage(GROUP, message_id)
  expect(await call('pinChatMessage', { message_id })).toBe('Bad Request: CHAT_NOT_MODIFIED')
  playground.setBotStatus(GROUP, 'member')
  for (const method of ['pinChatMessage', 'unpinChatMessage', 'unpinAllChatMessages']) {
    expect(await call(method, { message_id })).toBe(
      'Bad Request: not enough rights to manage pinned messages in the chat',
    )
  }
})
