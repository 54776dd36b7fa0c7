import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

const BUTTON = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] }

test('a pressed button reaches the bot, and its answer is kept', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'one', { reply_markup: BUTTON })

  const id = playground.presses({ userId: 5, messageId: message_id, data: 'stop' })
  const [update] = await api.getUpdates()
  await api.answerCallbackQuery(id, { text: 'Stopped', show_alert: true })
  await api.answerCallbackQuery(id, { text: 'Again' })

  expect(update?.callback_query).toMatchObject({
    id,
    data: 'stop',
    from: { id: 5 },
    message: { message_id, text: 'one', reply_markup: BUTTON },
  })
  expect(playground.pressed(id)?.answer).toMatchObject({ text: 'Stopped', showAlert: true })
})

test('a press is answered within 15 s or not at all', async () => {
  const clock = createManualClock()
  const { api, refusalOf, playground } = await openPlayground({ clock })
  const { message_id } = await api.sendMessage(5, 'one', { reply_markup: BUTTON })
  const callback_query_id = playground.presses({ userId: 5, messageId: message_id, data: 'stop' })

  clock.advance(15_001)

  const refusal =
    'Bad Request: query is too old and response timeout expired or query ID is invalid'
  expect(await refusalOf('answerCallbackQuery', { callback_query_id })).toBe(refusal)
  expect(await refusalOf('answerCallbackQuery', { callback_query_id: '1' })).toBe(refusal)
})

test('a button that is not there cannot be pressed', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'one', { reply_markup: BUTTON })
  const press = (data: string) => playground.presses({ userId: 5, messageId: message_id, data })

  expect(() => press('other')).toThrow('has no button "other"')
  await api.editMessageText(5, message_id, 'two')
  expect(() => press('stop')).toThrow('has no button "stop"')
  await api.deleteMessage(5, message_id)
  expect(() => press('stop')).toThrow(`no message ${message_id}`)
})

test('commands in a message of a user are marked as Telegram marks them', async () => {
  const { playground } = await openPlayground()
  const commandsIn = (text: string) =>
    playground
      .userSends({ userId: 5, text })
      .entities?.map(({ offset, length }) => text.slice(offset, offset + length))

  expect(commandsIn('/video a cat')).toEqual(['/video'])
  expect(commandsIn('see /help@some_bot, and/or 1/2')).toEqual(['/help@some_bot'])
  expect(commandsIn('/новости')).toBeUndefined()
})

test('a bot in a group gets the messages that are meant for it', async () => {
  const { api, playground } = await openPlayground()
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  const own = await api.sendMessage(-20, 'hello')
  const say = (text: string, replyToMessageId?: number) =>
    playground.userSends({
      userId: 5,
      chatId: -20,
      text,
      ...(replyToMessageId !== undefined && { replyToMessageId }),
    })

  for (const text of [
    'chat',
    '/a',
    '/b@kopeck_playground_bot',
    '/c@other_bot',
    'hey @kopeck_playground_bot',
  ])
    say(text)
  say('right', own.message_id)

  const heard = (await api.getUpdates()).map(({ message }) => message?.text)
  expect(heard).toEqual(['/a', '/b@kopeck_playground_bot', 'hey @kopeck_playground_bot', 'right'])
  expect(playground.transcript(-20)).toHaveLength(7)
})

test('a user who blocks the bot cannot write until unblocking, and the bot gets an update', async () => {
  const { api, playground } = await openPlayground()

  playground.blocks(5)
  const [update] = await api.getUpdates()

  expect(update?.my_chat_member).toMatchObject({
    chat: { id: 5 },
    old_chat_member: { status: 'member' },
    new_chat_member: { status: 'kicked' },
  })
  expect(() => playground.userSends({ userId: 5, text: 'a' })).toThrow('blocked the bot')
  playground.unblocks(5)
  expect(playground.userSends({ userId: 5, text: 'a' }).text).toBe('a')
})

test('a bot that is thrown out of a group gets an update', async () => {
  const { api, playground } = await openPlayground()
  playground.addGroup({ id: -20, title: 'Team', members: [5] })

  playground.setBotStatus(-20, 'kicked')
  playground.userSends({ userId: 5, chatId: -20, text: '/start' })

  const updates = await api.getUpdates()
  expect(updates).toHaveLength(1)
  expect(updates[0]?.my_chat_member).toMatchObject({
    chat: { id: -20, type: 'group', title: 'Team' },
    new_chat_member: { status: 'kicked' },
  })
})

test('an edit by a person is an update of its own', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = playground.userSends({ userId: 5, text: 'helo' })

  playground.userEdits({ userId: 5, messageId: message_id, text: 'hello' })

  const updates = await api.getUpdates()
  expect(updates[0]?.message?.text).toBe('helo')
  expect(updates[1]?.edited_message).toMatchObject({ message_id, text: 'hello' })
})

test('waitFor() sees a change at once, and describes what is there when nothing comes', async () => {
  const { api, playground } = await openPlayground()
  const found = playground.waitFor(({ transcript }) =>
    transcript(5).find(({ text }) => text === 'two'),
  )

  await api.sendMessage(5, 'one')
  await api.sendMessage(5, 'two')

  expect(await found).toMatchObject({ id: 2, text: 'two' })
  await expect(playground.waitFor(() => false, { timeoutMs: 1 })).rejects.toThrow('#2 bot: two')
})

test('a chat action shows for 5 s, or until the next message', async () => {
  const clock = createManualClock()
  const { api, refusalOf, playground } = await openPlayground({ clock })

  await api.sendChatAction(5, 'typing')
  expect(playground.visibleAction(5)).toBe('typing')
  clock.advance(5_000)
  expect(playground.visibleAction(5)).toBeUndefined()
  await api.sendChatAction(5, 'upload_video')
  await api.sendMessage(5, 'here')
  expect(playground.visibleAction(5)).toBeUndefined()

  expect(await refusalOf('sendChatAction', { chat_id: 5, action: 'dance' })).toBe(
    'Bad Request: wrong parameter action in request',
  )
})

test('onChange() reports everything that happens, until it is ended', async () => {
  const { api, playground } = await openPlayground()
  const seen: string[] = []
  const end = playground.onChange(({ kind }) => seen.push(kind))

  const { message_id } = await api.sendMessage(5, 'one')
  await api.editMessageText(5, message_id, 'two')
  await api.deleteMessage(5, message_id)
  end()
  await api.sendMessage(5, 'three')

  expect(seen.filter((kind) => kind !== 'call')).toEqual(['sent', 'edited', 'deleted'])
})
