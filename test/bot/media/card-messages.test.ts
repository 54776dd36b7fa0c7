import { expect, test } from 'vitest'
import { database, useCommands } from '../commands/commands-setup.ts'
import { openChat } from './card-setup.ts'

useCommands()

const ORDER = ['Order for ₽5.00']

test('words that follow a card and do not answer it are asked about, in its message, and ordered on a yes', async () => {
  const { send, press, cardIn, created, passedOn, playground } = await openChat()
  const userId = await send('/image')
  const { id } = cardIn(userId)

  await send('a fox, vertical', { userId })
  expect(cardIn(userId)).toMatchObject({
    id,
    text: 'An image: vertical — ₽5.00\n\nOrder it?',
  })
  expect(cardIn(userId).buttons.slice(-2)).toEqual([ORDER, ['Don’t order']])
  expect([created, passedOn]).toEqual([[], []])
  await press(userId, 'Order for ₽5.00')

  const words = playground.transcript(userId).at(-1)?.id
  const request = { prompt: 'a fox', aspect_ratio: '9:16' }
  expect(created).toMatchObject([
    { media: { request }, replyToMessageId: words, statusMessageId: id },
  ])
})

test('a card whose user declines orders nothing, also if it is tapped again', async () => {
  const { send, press, forge, cardIn, created, playground } = await openChat()
  const userId = await send('/image')
  await send('a fox', { userId })
  const { id, data } = cardIn(userId)

  await press(userId, 'Don’t order')
  await forge({ userId, messageId: id, data: data.at(-2) ?? '' })

  const shown = playground.transcript(userId).find((one) => one.id === id)
  expect(shown?.text).toBe('Not ordered. Nothing was charged.')
  expect(created).toEqual([])
})

test('five minutes after the card, and in another chat, a message is for the model', async () => {
  const { send, handleAll, playground, cardIn, passedOn } = await openChat()
  const userId = await send('/image')
  playground.addGroup({ id: -91, title: 'Friends', members: [userId] })
  playground.setBotStatus(-91, 'administrator')

  playground.userSends({ userId, chatId: -91, text: 'elsewhere' })
  await handleAll()
  const createdAt = new Date(Date.now() - 301_000)
  await database.prisma.order.updateMany({ where: { userId }, data: { createdAt } })
  await send('later', { userId })

  expect(passedOn).toEqual(['elsewhere', 'later'])
  expect(cardIn(userId).buttons).toHaveLength(2)
})

test('a second order within a minute asks for a yes, from a command and a reply', async () => {
  const { send, reply, press, cardIn, created } = await openChat()
  const userId = await send('/image')
  await addOrder(userId)

  await send('/image a fox', { userId })
  expect(cardIn(userId)).toMatchObject({
    text: 'You ordered something less than a minute ago.\n\nAn image: square — ₽5.00\n\nOrder it?',
  })
  expect(cardIn(userId).buttons.slice(-2)).toEqual([ORDER, ['Don’t order']])
  await send('/image', { userId })
  await reply(userId, 'a hare')
  expect(cardIn(userId).text).toContain('less than a minute ago')
  expect(created).toEqual([])
  await press(userId, 'Order for ₽5.00')

  expect(created).toHaveLength(1)
})

async function addOrder(userId: number): Promise<void> {
  const user = { userId, chatId: userId, kind: 'image', label: 'imagegen' } as const
  const asked = { originKey: `message ${userId} 0`, replyToMessageId: 0, params: {} }
  await database.prisma.order.create({ data: { ...user, ...asked } })
}
