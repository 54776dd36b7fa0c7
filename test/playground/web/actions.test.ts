import { expect, test } from 'vitest'
import type { Actions, HistoryAnswer } from '../../../src/playground/web/api.ts'
import { openPlayground } from '../open-playground.ts'
import { createActor, openPage } from './open-page.ts'

test('a text of 100,000 characters is split at its lines, and no character is lost', async () => {
  const { apiRoot, api } = await openPlayground()
  const line = `${'word '.repeat(99)}line\n`
  const text = line.repeat(200).trimEnd()
  const { act } = createActor(apiRoot)

  const sent = await act('/chats/5/messages', { user_id: 5, text })

  const { messages } = sent as Actions['/chats/:id/messages']['answer']
  const texts = messages.map(({ message }) => message.text ?? '')
  expect(texts.map((part) => part.length <= 4096)).toEqual(texts.map(() => true))
  expect(texts.join('\n')).toBe(text)
  expect(await api.getUpdates()).toHaveLength(texts.length)
})

test('Start writes first, with its payload, and takes a blocked bot back', async () => {
  const { apiRoot, api, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob', started: false })
  const { act } = createActor(apiRoot)

  await act('/chats/6/starts', { user_id: 6, payload: 'ref_1' })
  await act('/chats/6/blocks', { user_id: 6, is_blocked: true })
  await expect(api.sendMessage(6, 'hello')).rejects.toThrow('bot was blocked by the user')
  await act('/chats/6/starts', { user_id: 6 })

  const updates = await api.getUpdates()
  expect(
    updates.map((update) => update.message?.text ?? update.my_chat_member?.new_chat_member.status),
  ).toEqual(['/start ref_1', 'kicked', 'member', '/start'])
})

test('a person changes and deletes their own messages, not those of others', async () => {
  const { apiRoot, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addGroup({ id: -20, title: 'Two', members: [5, 6] })
  const { act, refused } = createActor(apiRoot)
  const { message_id } = playground.userSends({ userId: 6, chatId: -20, text: 'one' })

  const edited = await act('/chats/-20/edits', { user_id: 6, message_id, text: 'two' })
  const foreign = { user_id: 5, message_id, text: 'three' }

  expect(edited).toMatchObject({ message: { message: { text: 'two' } } })
  expect(await refused('/chats/-20/edits', foreign)).toEqual([
    400,
    `Cannot edit: message ${message_id} is not of user 5`,
  ])
  const { message_id: anns } = playground.userSends({ userId: 5, chatId: -20, text: 'Ann’s' })
  const both = { user_id: 6, message_ids: [message_id, anns] }
  expect(await refused('/chats/-20/deletions', both)).toEqual([
    400,
    `Cannot delete: message ${anns} is not of user 6`,
  ])
  await act('/chats/-20/deletions', { user_id: 6, message_ids: [message_id] })
  expect(playground.transcript(-20).map(({ text }) => text)).toEqual(['Ann’s'])
})

test('older messages come by the page', async () => {
  const { apiRoot, playground } = await openPlayground()
  for (let count = 1; count <= 120; count++) playground.userSends({ userId: 5, text: `${count}` })
  const { data: last } = await (await openPage(apiRoot, 'as=5')).next('history')
  const before = last.messages[0]?.message.message_id

  const read = async (query: string) => {
    const response = await fetch(`${apiRoot}/playground/chats/5/history?${query}`)
    return (await response.json()) as HistoryAnswer
  }
  const older = await read(`as=5&before=${before}`)
  const oldest = await read(`as=5&before=${older.messages[0]?.message.message_id}`)

  expect([last.messages.length, last.has_more]).toEqual([50, true])
  expect(older.messages.map(({ message }) => message.text)).toEqual(
    Array.from({ length: 50 }, (_, index) => `${index + 21}`),
  )
  expect([older.has_more, oldest.messages.length, oldest.has_more]).toEqual([true, 20, false])
  expect(await read('as=6&before=9')).toEqual({ detail: 'Not in this chat' })
})

test('the commands that are suggested are those of the chat, the person’s language and no other list', async () => {
  const { apiRoot, api, playground } = await openPlayground()
  const list = (command: string) => [{ command, description: command }]
  playground.addGroup({ id: -20, title: 'One', members: [5] })
  await api.setMyCommands(list('everywhere'))
  await api.setMyCommands(list('private'), { scope: { type: 'all_private_chats' } })
  await api.setMyCommands(list('private_ru'), {
    scope: { type: 'all_private_chats' },
    language_code: 'ru',
  })
  const page = await openPage(apiRoot, 'as=5')
  const { act } = createActor(apiRoot)

  await act('/people/5', { language_code: 'ru' })
  const inRussian = await page.next('state')
  await api.setMyCommands(list('own'), { scope: { type: 'chat', chat_id: 5 } })
  const own = await page.next('state')

  const names = page.state.chats.map(({ commands }) => commands.map(({ command }) => command))
  expect(names).toEqual([['private'], ['everywhere']])
  expect(inRussian.data.chats[0]?.commands).toEqual(list('private_ru'))
  expect(own.data.chats[0]?.commands).toEqual(list('own'))
})

test('a person cannot act in a chat that they are not in', async () => {
  const { apiRoot, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  const { refused } = createActor(apiRoot)

  expect(await refused('/chats/5/messages', { user_id: 6, text: 'as Ann' })).toEqual([
    403,
    'User 6 is not in chat 5',
  ])
  expect(playground.transcript(5)).toHaveLength(0)
})

test('a text that would stop everything else is refused', async () => {
  const { apiRoot, playground } = await openPlayground()
  const { refused } = createActor(apiRoot)

  const refusal = await refused('/chats/5/messages', { user_id: 5, text: 'a'.repeat(1_000_001) })

  expect(refusal).toEqual([400, 'Cannot send: the text is longer than 1000000 characters'])
  expect(playground.transcript(5)).toHaveLength(0)
})
