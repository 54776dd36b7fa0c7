import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const FORUM = -1_000_000_000_056

async function openForum() {
  const opened = await openPlayground()
  const { playground } = opened
  playground.addGroup({
    id: FORUM,
    title: 'Forum',
    members: [5],
    isForum: true,
    botStatus: 'administrator',
  })
  playground.addGroup({ id: -56, title: 'Few', members: [5] })
  return opened
}

test('a topic is made, closed, opened and deleted, each with a service message', async () => {
  const { api, refusalOf } = await openForum()

  const topic = await api.createForumTopic(FORUM, 'Cats', { icon_color: 0xffd67e })
  const thread = { chat_id: FORUM, message_thread_id: topic.message_thread_id }
  await api.closeForumTopic(FORUM, topic.message_thread_id)
  const again = await refusalOf('closeForumTopic', thread)
  await api.reopenForumTopic(FORUM, topic.message_thread_id)
  await api.editForumTopic(FORUM, topic.message_thread_id, { name: 'Dogs' })

  expect(topic).toMatchObject({ name: 'Cats', icon_color: 0xffd67e })
  expect(again).toBe('Bad Request: TOPIC_NOT_MODIFIED')
  const messages = (await api.getUpdates()).map(({ message }) => message)
  expect(messages).toMatchObject([
    { forum_topic_created: { name: 'Cats' }, message_id: topic.message_thread_id },
    { forum_topic_closed: {}, is_topic_message: true },
    { forum_topic_reopened: {} },
    { forum_topic_edited: { name: 'Dogs' } },
  ])
  expect(await refusalOf('deleteForumTopic', thread)).toBe('ok')
  expect(await refusalOf('deleteForumTopic', thread)).toBe('Bad Request: message thread not found')
  expect(await refusalOf('sendMessage', { ...thread, text: 'a' })).toBe(
    'Bad Request: message thread not found',
  )
})

test('General has a name, can be closed and hidden, and takes messages when open', async () => {
  const { api, refusalOf, playground } = await openForum()
  const send = () => refusalOf('sendMessage', { chat_id: FORUM, text: 'a' })

  await api.editGeneralForumTopic(FORUM, 'Main')
  await api.hideGeneralForumTopic(FORUM)
  playground.setBotStatus(FORUM, 'member')
  expect(await send()).toBe('Bad Request: TOPIC_CLOSED')
  playground.setBotStatus(FORUM, 'administrator')
  await api.unhideGeneralForumTopic(FORUM)
  await api.reopenGeneralForumTopic(FORUM)
  playground.setBotStatus(FORUM, 'member')

  expect(await send()).toBe('ok')
  expect(await api.getForumTopicIconStickers()).toEqual([])
})

test('topics are for forums, with a name, and for those who may', async () => {
  const { refusalOf, playground } = await openForum()
  const create = (chat_id: number, name: string) => refusalOf('createForumTopic', { chat_id, name })
  const threadId = playground.addTopic(FORUM, 'Cats')
  const thread = { chat_id: FORUM, message_thread_id: threadId }

  expect(await create(-56, 'a')).toBe('Bad Request: the chat is not a forum')
  expect(await create(5, 'a')).toBe('Bad Request: the chat is not a forum')
  expect(await create(FORUM, ' ')).toBe('Bad Request: title must be non-empty')
  expect(await refusalOf('closeGeneralForumTopic', { chat_id: -56 })).toBe(
    'Bad Request: the chat is not a forum',
  )
  playground.setBotStatus(FORUM, 'member')
  expect(await create(FORUM, 'a')).toBe('Bad Request: not enough rights to create a topic')
  expect(await refusalOf('editForumTopic', { ...thread, name: 'b' })).toBe(
    'Bad Request: not enough rights to edit the topic',
  )
  expect(await refusalOf('closeForumTopic', thread)).toBe(
    'Bad Request: not enough rights to close or open the topic',
  )
  expect(await refusalOf('deleteForumTopic', thread)).toBe(
    'Bad Request: not enough rights to delete the topic',
  )
  expect(await refusalOf('hideGeneralForumTopic', { chat_id: FORUM })).toBe(
    'Bad Request: not enough rights to close or open the topic',
  )
})

test('a bot without rights has them over the topics that it made', async () => {
  const { api, playground } = await openForum()
  const topic = await api.createForumTopic(FORUM, 'Mine')
  playground.setBotStatus(FORUM, 'member')

  expect(await api.closeForumTopic(FORUM, topic.message_thread_id)).toBe(true)
})
