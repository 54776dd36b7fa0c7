import { expect, test } from 'vitest'
import { useCommands } from '../commands/commands-setup.ts'
import { openChat } from './card-setup.ts'

useCommands()

test('two taps at once, and one more later, make one order', async () => {
  const { send, forge, cardIn, created, mediaRules } = await openChat()
  await mediaRules.set({ confirmFromMicroRub: 1_000_000n }, { adminId: 1 })
  const userId = await send('/image a fox')
  await mediaRules.set({ confirmFromMicroRub: 50_000_000n }, { adminId: 1 })
  const { id, data } = cardIn(userId)
  const order = data.find((one) => one.endsWith(':order')) ?? ''

  await Promise.all([
    forge({ userId, messageId: id, data: order }),
    forge({ userId, messageId: id, data: order }),
  ])
  await forge({ userId, messageId: id, data: order })

  expect(created).toMatchObject([{ statusMessageId: id }])
})

test('what the service does not make cannot be chosen', async () => {
  const reportedPrices = new Map([['vidgen-720p-5s', 40_000_000n]])
  const { send, press, cardIn, created } = await openChat({ reportedPrices })
  const userId = await send('/video')

  expect(cardIn(userId).buttons.slice(0, 2)).toEqual([
    ['✓ 5 s', '✕ 10 s'],
    ['✓ 720p', '✕ 1080p'],
  ])
  expect((await press(userId, '✕ 10 s'))?.answer?.text).toContain('I can’t make this right now')
  await send('/video 10s a fox', { userId })
  await send('/image a fox', { userId })

  expect(created).toEqual([])
})

test('in a group another member neither taps nor answers a card', async () => {
  const { send, press, reply, cardIn, handleAll, answerTo, playground, created } = await openChat()
  const [userId, other] = [await send('hello'), await send('hello')]
  playground.addGroup({ id: -92, title: 'Friends', members: [userId, other] })
  playground.setBotStatus(-92, 'administrator')
  const inGroup = { chatId: -92 }
  playground.userSends({ userId, chatId: -92, text: '/video' })
  await handleAll()
  const { id: to } = cardIn(-92)

  const tap = await press(other, '10 s +₽40.00', inGroup)
  await reply(other, 'a bear', { to, ...inGroup })
  expect(tap?.answer?.text).toContain('somebody else’s')
  expect(await answerTo(-92)).toContain('somebody else’s')
  expect(created).toEqual([])
  await reply(userId, 'a fox', { to, ...inGroup })

  expect(created).toMatchObject([
    { user: { id: userId }, chatId: -92, media: { request: { prompt: 'a fox', duration: 5 } } },
  ])
})

test('a card goes on in another process, with the words of the first one, though its message was deleted', async () => {
  const first = await openChat()
  const userId = await first.send('/video 7s a fox')
  const { id: messageId, data } = first.cardIn(userId)

  const second = await openChat()
  await second.send('hello', { userId })
  await second.forge({ userId, messageId, data: data.at(-2) ?? '' })

  const request = { prompt: '7s a fox', duration: 5 }
  expect(second.created).toMatchObject([{ media: { request } }])
})

test.each([
  ['a card that there is not', () => 'card:999999999:order'],
  ['a value that does not exist', (id: string) => `card:${id}:set:duration=7`],
  ['an option that does not exist', (id: string) => `card:${id}:set:constructor=5`],
])('a client that sends %s reads that the button does nothing', async (_, toData) => {
  const { send, forge, cardIn, created, answered } = await openChat()
  const userId = await send('/video 7s a fox')
  const { id, data } = cardIn(userId)
  const [, cardId = ''] = (data[0] ?? '').split(':')

  const query = await forge({ userId, messageId: id, data: toData(cardId) })

  expect(answered(query)).toBe('This button no longer works.')
  expect(created).toEqual([])
})

test('a card of another chat cannot be pressed', async () => {
  const { send, forge, cardIn, created, answered } = await openChat()
  const userId = await send('/video 7s a fox')
  const { data } = cardIn(userId)
  const messageId = cardIn(await send('/video 7s a hare')).id

  const query = await forge({ userId, chatId: userId + 1, messageId, data: data.at(-2) ?? '' })

  expect(answered(query)).toBe('This button no longer works.')
  expect(created).toEqual([])
})

test('what an admin wrote as a group is confirmed by admins of the bot alone', async () => {
  const { send, forge, cardIn, handleAll, playground, created, answered } = await openChat()
  const userId = await send('hello')
  playground.addGroup({ id: -90, title: 'Friends', members: [userId, 1] })
  playground.setBotStatus(-90, 'administrator')
  playground.userSends({ userId, chatId: -90, text: '/video 7s a fox', as: 'group' })
  await handleAll()
  const { id, data } = cardIn(-90)

  const own = await forge({ userId, chatId: -90, messageId: id, data: data.at(-2) ?? '' })
  expect(answered(own)).toContain('somebody else’s')
  await forge({ userId: 1, chatId: -90, messageId: id, data: data.at(-2) ?? '' })

  expect(created).toMatchObject([{ user: { id: -90, firstName: 'Friends' }, statusMessageId: id }])
})
