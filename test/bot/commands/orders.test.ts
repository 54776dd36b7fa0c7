import { beforeEach, expect, test } from 'vitest'
import { addCharge } from '../spend/add-charge.ts'
import { buttonsOf, database, setUp, useCommands } from './commands-setup.ts'

useCommands({ confirmFromMicroRub: 100_000_000n })
// Each playground counts its presses anew.
beforeEach(async () => void (await database.prisma.order.deleteMany()))

type Setup = Awaited<ReturnType<typeof setUp>>

let created = 0

async function addOrder(
  userId: number,
  { isPaid = true, ...facts }: Record<string, unknown> & { isPaid?: boolean } = {},
) {
  created++
  const params = { prompt: 'a fox', duration: 5, quality: '720p', aspect_ratio: '1280:720' }
  const asked = { userId, chatId: userId, originKey: `test ${created}`, replyToMessageId: 1 }
  const ended = { state: 'delivered', endedAt: new Date() } as const
  const file = { type: 'video', fileId: 'no-such-file' }
  const { id } = await database.prisma.order.create({
    data: {
      ...asked,
      ...ended,
      params,
      kind: 'video',
      label: 'vidgen-720p-5s',
      priceMicroRub: 40_000_000n,
      deliveredFiles: [file],
      createdAt: new Date(Date.now() - 3600_000),
      ...facts,
    },
  })
  if (!isPaid) return id
  const paid = { userId, kind: 'video', item: 'video', amountMicroRub: 40_000_000n } as const
  await addCharge(database.prisma, { ...paid, orderId: id })
  return id
}

async function meet({ send }: Setup): Promise<number> {
  const userId = await send('/orders')
  await database.prisma.user.create({ data: { id: userId, firstName: 'Anna', languageCode: 'en' } })
  return userId
}

async function showButton({ api }: Setup, { userId, data }: { userId: number; data: string }) {
  const button = { text: 'Again', callback_data: data }
  await api.sendMessage(userId, 'A fox', { reply_markup: { inline_keyboard: [[button]] } })
}

const PICTURE = {
  kind: 'image',
  params: { prompt: 'a fox', aspect_ratio: '1:1' },
  deliveredFiles: [{ type: 'photo', fileId: 'photo-1' }],
}

test('/orders lists what was ordered, the newest first, with its state and what it cost', async () => {
  const setup = await setUp()
  const { send, playground } = setup
  const userId = await meet(setup)
  expect(playground.transcript(userId).at(-1)?.text).toContain('No orders yet')
  await addOrder(userId)
  await addOrder(userId, { state: 'failed', isPaid: false })
  await addOrder(userId, { state: 'generating', endedAt: null })

  await send('/orders', { userId })

  const shown = playground.transcript(userId).at(-1)
  expect(shown?.text).toBe(
    [
      'Your orders, newest first:',
      '1. a fox\n5 s, 720p, horizontal — being made, ₽40.00',
      '2. a fox\n5 s, 720p, horizontal — failed, nothing charged',
      '3. a fox\n5 s, 720p, horizontal — done, ₽40.00',
    ].join('\n\n'),
  )
  expect(buttonsOf(shown)).toEqual([['1', '2', '3']])
})

test('a group’s list has only what its user ordered there', async () => {
  const setup = await setUp()
  const { playground, handleAll, answerTo } = setup
  const [userId, other] = [await meet(setup), await meet(setup)]
  const chatId = -1_000_000_000_000 - userId
  playground.addGroup({ id: chatId, title: 'Friends', members: [userId, other] })
  playground.setBotStatus(chatId, 'administrator')
  await addOrder(userId, { params: { prompt: 'a secret', aspect_ratio: '1280:720' } })
  await addOrder(userId, { chatId })
  const listOf = async (reader: number) => {
    playground.userSends({ userId: reader, chatId, text: '/orders' })
    await handleAll()
    return answerTo(chatId)
  }

  expect(await listOf(userId)).toMatch(/^Your orders, newest first:\n\n1\. a fox\n[^\n]*$/)
  expect(await listOf(other)).toContain('No orders yet')
})

test('what was delivered is sent again where the button was pressed, and nothing else is', async () => {
  const setup = await setUp()
  const { send, press, playground, sentAgain } = setup
  const userId = await meet(setup)
  const id = await addOrder(userId)
  await addOrder(userId, { state: 'failed', errorCode: 0 })
  await send('/orders', { userId })

  await press(userId, '1')
  expect(buttonsOf(playground.transcript(userId).at(-1)).flat()).not.toContain('Send again')
  await press(userId, '« All orders')
  await press(userId, '2')
  await press(userId, 'Send again')

  expect(sentAgain).toEqual([{ orderId: BigInt(id), chatId: userId }])
})

test('Again opens a card with the same words and options, for who presses it', async () => {
  const setup = await setUp()
  const { send, press, playground, created } = setup
  const userId = await meet(setup)
  const image_url = 'https://bot.example.org/pictures/1'
  await addOrder(userId, { params: { prompt: 'a fox', duration: 10, image_url } })
  await send('/orders', { userId })
  await press(userId, '1')

  await press(userId, 'Again')

  const card = playground.transcript(userId).at(-1)
  expect(card?.text).toBe('A video: 10 s, 720p, from a picture — ₽80.00\n\nOrder it?')
  expect(created).toEqual([])
  await press(userId, '5 s −₽40.00')
  await press(userId, 'Order for ₽40.00')
  expect(created).toMatchObject([
    {
      media: { kind: 'video', request: { prompt: 'a fox', duration: 5, image_url } },
      user: { id: userId },
      statusMessageId: card?.id,
      priceMicroRub: 40_000_000n,
    },
  ])
})

test('a picture is animated from the file that was delivered', async () => {
  const setup = await setUp()
  const { send, press, created } = setup
  const userId = await meet(setup)
  await addOrder(userId, PICTURE)
  await send('/orders', { userId })
  await press(userId, '1')

  await press(userId, 'Animate')
  await press(userId, 'Order for ₽40.00')

  expect(created.map(({ media }) => media)).toEqual([
    {
      kind: 'video',
      request: {
        prompt: 'a fox',
        duration: 5,
        quality: '720p',
        image_url: 'https://bot.example.org/pictures/1',
      },
    },
  ])
})

test('an order that neither the user nor the chat has seen is not ordered again', async () => {
  const setup = await setUp()
  const [anna, boris] = [await meet(setup), await meet(setup)]
  const id = await addOrder(anna)
  const { press, created } = setup
  await showButton(setup, { userId: boris, data: `order:again:${id}` })

  const { answer } = (await press(boris, 'Again')) ?? {}

  expect(answer?.text).toContain('no longer works')
  expect(created).toEqual([])
})
