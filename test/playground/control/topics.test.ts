import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

const FORUM = -1_000_000_000_030

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
  const threadId = playground.addTopic(FORUM, 'Cats')
  return { ...opened, threadId }
}

test('a message in a topic names it, and seems to answer the one that began it', async () => {
  const { api, playground, threadId } = await openForum()

  playground.userSends({ userId: 5, chatId: FORUM, threadId, text: 'meow' })
  playground.userSends({ userId: 5, chatId: FORUM, text: 'in General' })

  const [began, inTopic, general] = (await api.getUpdates()).map(({ message }) => message)
  expect(began).toMatchObject({ message_id: threadId, forum_topic_created: { name: 'Cats' } })
  expect(inTopic).toMatchObject({
    message_thread_id: threadId,
    is_topic_message: true,
    chat: { is_forum: true },
    reply_to_message: { message_id: threadId, forum_topic_created: {} },
  })
  expect(general).not.toHaveProperty('message_thread_id')
  expect(general).not.toHaveProperty('is_topic_message')
})

test('a bot names topics of private chats, and those of forums as their administrator', async () => {
  const { api, playground, refusalOf } = await openPlayground({ topicsInPrivateChats: true })
  const threadId = playground.addTopic(5)
  playground.addGroup({ id: FORUM, title: 'Forum', members: [5], isForum: true })
  const inForum = playground.addTopic(FORUM, 'Cats')
  const edit = (chat_id: number, message_thread_id: number) =>
    refusalOf('editForumTopic', { chat_id, message_thread_id, name: 'Dogs' })
  const [opened] = await api.getUpdates()

  expect(opened?.message?.forum_topic_created).toMatchObject({ is_name_implicit: true })
  expect(await edit(5, threadId)).toBe('ok')
  expect(playground.topicName(5, threadId)).toBe('Dogs')
  expect(await edit(5, threadId)).toBe('Bad Request: TOPIC_NOT_MODIFIED')
  expect(await edit(5, 999)).toBe('Bad Request: message thread not found')
  expect(await edit(FORUM, inForum)).toBe('Bad Request: not enough rights to edit the topic')
})
