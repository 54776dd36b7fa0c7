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
