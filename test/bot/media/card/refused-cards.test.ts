import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { database, useCommands } from '../../commands/commands-setup.ts'
import { openChat } from './card-setup.ts'

useCommands()

// Promise: A button of a card is tapped twice at once, and later again
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

test('options that are tapped at once are both chosen, and shown', async () => {
  const { send, forge, cardIn } = await openChat()
  const userId = await send('/video')
  const { id, data } = cardIn(userId)
  const [tall = '', long = ''] = ['shape=9:16', 'duration=10'].map((option) =>
    data.find((one) => one.endsWith(option)),
  )

  await Promise.all([tall, long].map((one) => forge({ userId, messageId: id, data: one })))

  expect(cardIn(userId).text).toContain('10 s, 720p, vertical — ₽80.00')
  const kept = await database.prisma.mediaSetting.findMany({ where: { userId } })
  expect(kept).toMatchObject([{ params: { duration: 10, quality: '720p', shape: '9:16' } }])
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

// Promise: A process is killed after a card was opened, or a tap was recorded
test('a press that was stored and not shown is shown when it comes again', async () => {
  const { send, forge, cardIn, mediaRules, created } = await openChat()
  await mediaRules.set({ confirmFromMicroRub: 1_000_000n }, { adminId: 1 })
  const userId = await send('/video 7s a fox')
  const { id, data } = cardIn(userId)
  await database.prisma.orderCard.updateMany({
    where: { userId },
    data: { state: 'confirmation' },
  })

  await forge({ userId, messageId: id, data: data[0] ?? '' })
  expect(cardIn(userId).buttons).toEqual([['Order for ₽40.00'], ['Don’t order']])
  await database.prisma.orderCard.updateMany({ where: { userId }, data: { state: 'ordered' } })
  await forge({ userId, messageId: id, data: data[0] ?? '' })
  await mediaRules.set({ confirmFromMicroRub: 50_000_000n }, { adminId: 1 })

  expect(created).toMatchObject([{ statusMessageId: id }])
})

test("a press on another user's card gets a notice and changes nothing", async () => {
  const { send, forge, cardIn, playground, created, answered } = await openChat()
  const userId = await send('/video 7s a fox')
  const others = await send('hello')
  const { id, data, text } = cardIn(userId)

  const query = await forge({ userId: others, chatId: userId, messageId: id, data: data[0] ?? '' })

  expect(answered(query)).toBe('This card is somebody else’s. Get your own: /video')
  expect(cardIn(userId).text).toBe(text)
  expect(created).toEqual([])
  expect(playground.transcript(others)).toHaveLength(1)
})

// Promise: A client forges the data of a card’s button, or the card is more than a day old
test.each([
  ['a card that there is not', () => 'card:999999999:order'],
  ['a value that does not exist', (id: string) => `card:${id}:take:duration=7`],
  ['an option that does not exist', (id: string) => `card:${id}:take:constructor=5`],
  ['a choice that no button offers for its state', (id: string) => `card:${id}:set:duration=10`],
  ['a confirmation that was not asked for', (id: string) => `card:${id}:order`],
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

  const query = await forge({ userId, chatId: userId + 1, messageId, data: data[0] ?? '' })

  expect(answered(query)).toBe('This button no longer works.')
  expect(created).toEqual([])
})

// Promise: A client forges the data of a card’s button, or the card is more than a day old
test('a card that is older than a day orders nothing, by a tap or by a reply', async () => {
  const { send, press, reply, cardIn, answerTo, created, passedOn } = await openChat()
  const userId = await send('/video')
  const dayAgo = new Date(Date.now() - 25 * 3_600_000)
  await database.prisma.orderCard.updateMany({ where: { userId }, data: { createdAt: dayAgo } })

  await reply(userId, 'a fox')
  expect(await answerTo(userId)).toBe('This card is more than a day old. Get a new one: /video')
  const pressed = await press(userId, '10 s +₽40.00')

  expect(pressed?.answer?.text).toContain('more than a day old')
  expect(cardIn(userId).buttons).toEqual([])
  expect([created, passedOn]).toEqual([[], []])
})

test('a card whose message was deleted asks in a new one whether the words are an order', async () => {
  const { send, cardIn, playground, created } = await openChat()
  const userId = await send('/image')

  playground.userDeletes({ chatId: userId, messageId: cardIn(userId).id })
  await send('a fox', { userId })

  expect(cardIn(userId).buttons).toEqual([['Order for ₽5.00'], ['Ask the model']])
  expect(created).toEqual([])
})

test('a tap on a card that was deleted meanwhile orders all the same', async () => {
  const { send, forge, cardIn, playground, created } = await openChat()
  const userId = await send('/video 7s a fox')
  const { id, data } = cardIn(userId)

  await forge({ userId, messageId: id, data: data[0] ?? '' }, () =>
    playground.userDeletes({ chatId: userId, messageId: id }),
  )

  expect(created).toHaveLength(1)
})

test('words that are too long are refused in a reply as in a command', async () => {
  const { send, cardIn, answerTo, handle, playground, created } = await openChat()
  const userId = await send('/video')
  const replyToMessageId = cardIn(userId).id
  const message = playground.userSends({ userId, text: 'a fox', replyToMessageId })

  // A client sends as much in several messages, which are one prompt when they arrive here.
  await handle({ update_id: 1, message: { ...message, text: '🦊'.repeat(5001) } } as Update)

  expect(await answerTo(userId)).toContain('has 5,001 characters; the most is 5,000')
  expect(created).toEqual([])
})

test('a reply of options alone chooses them on the card', async () => {
  const { send, reply, cardIn, created } = await openChat()
  const userId = await send('/video')
  const { id } = cardIn(userId)

  await reply(userId, '10 секунд')

  expect(cardIn(userId)).toMatchObject({
    id,
    text: expect.stringContaining('10 s, 720p, horizontal — ₽80.00'),
  })
  expect(created).toEqual([])
})

test('a reply without words is asked for words', async () => {
  const { send, cardIn, answerTo, handleAll, playground, created } = await openChat()
  const userId = await send('/image')

  const replyToMessageId = cardIn(userId).id
  playground.userSends({ userId, sticker: { bytes: Buffer.from('a fox') }, replyToMessageId })
  await handleAll()

  expect(await answerTo(userId)).toBe('Describe it in words.')
  expect(created).toEqual([])
})

test('a card that waits for a tap says so to a reply', async () => {
  const { send, reply, cardIn, answerTo, created, passedOn } = await openChat()
  const userId = await send('/video 7s a fox')

  await reply(userId, 'the first one', { to: cardIn(userId).id })

  expect(await answerTo(userId)).toBe('Answer with the buttons below the card.')
  expect([created, passedOn]).toEqual([[], []])
})

test.each([
  ['/video 5s 10s a fox', 'These contradict each other: 5s, 10s.'],
  ['/video 4k a fox', 'There is no option “4k”.'],
  ['/video 10s 1080p a fox', 'These don’t go together: 10s, 1080p.'],
  ['/video 7s 4k a fox', 'There are no such options: 7s, 4k.'],
  ['/sound 45s rain', 'There is no option “45s”.'],
])('"%s" is asked back: "%s"', async (text, question) => {
  const { send, cardIn, created } = await openChat()

  const userId = await send(text)

  expect(cardIn(userId).text).toContain(question)
  expect(cardIn(userId).buttons.length).toBeGreaterThan(1)
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

  const own = await forge({ userId, chatId: -90, messageId: id, data: data[0] ?? '' })
  expect(answered(own)).toContain('somebody else’s')
  await forge({ userId: 1, chatId: -90, messageId: id, data: data[0] ?? '' })

  expect(created).toMatchObject([{ user: { id: -90, firstName: 'Friends' }, statusMessageId: id }])
})
