import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import type { LimitRefusal } from '../../../src/bot/spend/limits.ts'
import { ADMIN, database, useCommands } from '../commands/commands-setup.ts'
import { openChat } from './card-setup.ts'

useCommands({ confirmFromMicroRub: 100_000_000n })

const NEWS = 'The price has changed since you saw it.'

test('a command alone opens a card that asks for the words, with a button for each choice', async () => {
  const { send, cardIn, created, playground } = await openChat()

  const userId = await send('/video')

  expect(cardIn(userId)).toMatchObject({
    text: 'A video: 5 s, 720p, horizontal — ₽40.00\n\nReply to this message with what should be seen, such as “a fox runs through the snow”, and it’s ordered. What you choose below is kept for the next time.',
    buttons: [
      ['✓ 5 s', '10 s +₽40.00'],
      ['✓ 720p', '1080p +₽30.50'],
      ['✓ horizontal', 'vertical'],
    ],
  })
  expect(playground.transcript(userId)).toHaveLength(2)
  expect(created).toEqual([])
})

test('what is tapped is ticked, ordered with the reply, and kept for the next order', async () => {
  const { send, press, reply, cardIn, created } = await openChat()
  const userId = await send('/video')

  const { id } = cardIn(userId)
  await press(userId, '10 s +₽40.00')
  await press(userId, 'vertical')
  expect(cardIn(userId).text).toContain('10 s, 720p, vertical — ₽80.00')
  const words = await reply(userId, 'a fox in the snow')
  await send('/video a hare', { userId })

  const request = { duration: 10, quality: '720p', aspect_ratio: '720:1280' }
  expect(created).toMatchObject([
    {
      replyToMessageId: words,
      statusMessageId: id,
      media: { request: { ...request, prompt: 'a fox in the snow' } },
      priceMicroRub: 80_000_000n,
    },
    { media: { request: { ...request, prompt: 'a hare' } } },
  ])
})

test('a pair that does not exist cannot be chosen; a tap says why', async () => {
  const { send, press, cardIn } = await openChat()
  const userId = await send('/video 10s')
  expect(cardIn(userId).buttons[1]).toEqual(['✓ 720p', '✕ 1080p'])

  const pressed = await press(userId, '✕ 1080p')

  expect(pressed?.answer?.text).toBe('1080p doesn’t go with 10 s.')
  expect(cardIn(userId).buttons[1]).toEqual(['✓ 720p', '✕ 1080p'])
})

test('a card that was ordered with takes nothing more: what answers it is for the model', async () => {
  const { send, reply, cardIn, created, passedOn } = await openChat()
  const userId = await send('/image')
  const { id: to } = cardIn(userId)
  await reply(userId, 'a fox')

  await reply(userId, 'thanks', { to })

  expect(created).toHaveLength(1)
  expect(passedOn).toEqual(['thanks'])
})

test('an option that does not exist remains in the description, and the card shows what exists', async () => {
  const { send, press, cardIn, created } = await openChat()

  const userId = await send('/video 7s лиса', { languageCode: 'ru' })
  const card = cardIn(userId)
  expect(card.text).toBe(
    '«7s» останется в описании. Проверьте варианты ниже.\n\nРолик: 5 с, 720p, горизонтально — 40,00 ₽\n\nЗаказать?',
  )
  expect(created).toEqual([])
  await press(userId, '10 с +40,00 ₽')
  await press(userId, 'Заказать за 80,00 ₽')

  const request = { prompt: '7s лиса', duration: 10 }
  expect(created).toMatchObject([{ media: { request }, statusMessageId: card.id }])
})

test('an option that does not go with the chosen ones is not left out silently', async () => {
  const { send, cardIn, created } = await openChat()
  const userId = await send('/video')
  const mediaSettings = { video: { quality: '1080p', shape: '9:16' } }
  await database.prisma.user.update({ where: { id: userId }, data: { mediaSettings } })

  await send('/video 10s a fox', { userId })

  expect(cardIn(userId).text).toMatch(/^1080p doesn’t go with 10 s\..*10 s, 720p, vertical/s)
  expect(created).toEqual([])
})

test('an order at the price that admins set is confirmed, with the price on the button', async () => {
  const { send, press, cardIn, created, mediaRules } = await openChat()
  await mediaRules.set({ confirmFromMicroRub: 80_000_000n }, { adminId: 1 })

  const userId = await send('/video 10s a fox')
  const { id } = cardIn(userId)
  expect(created).toEqual([])
  expect(cardIn(userId)).toMatchObject({
    text: 'A video: 10 s, 720p, horizontal — ₽80.00\n\nOrder it?',
    buttons: [
      ['5 s −₽40.00', '✓ 10 s'],
      ['✓ 720p', '✕ 1080p'],
      ['✓ horizontal', 'vertical'],
      ['Order for ₽80.00'],
      ['Don’t order'],
    ],
  })
  await press(userId, 'Order for ₽80.00')
  await mediaRules.set({ confirmFromMicroRub: 100_000_000n }, { adminId: 1 })

  expect(created).toMatchObject([{ statusMessageId: id }])
})

test('what has no price is confirmed by an admin, and refused to other users', async () => {
  const { send, press, answerTo, cardIn, created } = await openChat({ prices: new Map() })

  expect(await answerTo(await send('/image a fox'))).toBe(
    'No price is set for this, so only admins can order it.',
  )
  expect(await answerTo(await send('/image'))).toContain('only admins can order it')
  await send('/image a fox', { userId: ADMIN })
  expect(cardIn(ADMIN).text).toContain('An image: square — no price set')
  await press(ADMIN, 'Order without a price')

  expect(created).toMatchObject([{ user: { id: ADMIN }, priceMicroRub: null }])
})

test('a price that changed since the card was shown is asked again', async () => {
  const prices = new Map([['imagegen', 5_000_000n]])
  const { send, press, reply, cardIn, created } = await openChat({ prices })
  const userId = await send('/image')

  prices.set('imagegen', 6_000_000n)
  await reply(userId, 'a fox')

  expect(created).toEqual([])
  expect(cardIn(userId).text).toMatch(new RegExp(`^${NEWS}.*— ₽6\\.00`, 's'))
  prices.set('imagegen', 7_000_000n)
  await press(userId, 'Order for ₽6.00')
  expect(created).toEqual([])
  await press(userId, 'Order for ₽7.00')
  expect(created).toMatchObject([{ priceMicroRub: 7_000_000n }])
})

test('a photo in reply to the card is ordered as a video from it', async () => {
  const { send, cardIn, created, playground, handleAll } = await openChat()
  const userId = await send('/video')

  const replyToMessageId = cardIn(userId).id
  const photo = { bytes: Buffer.from('a photo') }
  playground.userSends({ userId, photo, caption: 'it wakes up', replyToMessageId })
  await handleAll()

  const image_url = expect.stringContaining('https://')
  expect(created).toMatchObject([{ media: { request: { prompt: 'it wakes up', image_url } } }])
})

test('a shape that was asked for with a picture is not left out silently', async () => {
  const { send, cardIn, created, playground, handleAll } = await openChat()
  const userId = await send('hello')

  const photo = { bytes: Buffer.from('a photo') }
  playground.userSends({ userId, photo, caption: '/video 9:16 it wakes up' })
  await handleAll()

  expect(created).toEqual([])
  expect(cardIn(userId).text).toMatch(/^A video from a picture keeps the picture’s shape\./)
})

test('a reply that comes twice makes one order, and no question', async () => {
  const { send, cardIn, handle, playground, created } = await openChat()
  const userId = await send('/image')
  const replyToMessageId = cardIn(userId).id
  const message = playground.userSends({ userId, text: 'a fox', replyToMessageId })
  const before = playground.transcript(userId).length

  const update = { update_id: 1, message } as Update
  await handle(update)
  await handle(update)

  expect(created).toHaveLength(1)
  expect(playground.transcript(userId)).toHaveLength(before)
})

test('a command whose process died before it was ordered is ordered once when it is handled again', async () => {
  let isDying = true
  const { send, handle, playground, created } = await openChat({
    findRefusal() {
      if (isDying) throw new Error('The process dies')
      return undefined
    },
  })
  const userId = await send('hello')
  const message = playground.userSends({ userId, text: '/image a fox' })
  const update = { update_id: 1, message } as Update

  await expect(handle(update)).rejects.toThrow('The process dies')
  isDying = false
  await handle(update)
  await handle(update)

  expect(created).toMatchObject([{ media: { request: { prompt: 'a fox' } } }])
  expect(playground.transcript(userId)).toHaveLength(2)
})

const REFUSAL: LimitRefusal = {
  subjectId: 7n,
  period: 'month',
  limitMicroRub: 500_000_000n,
  spentMicroRub: 470_000_000n,
  reservedMicroRub: 5_000_000n,
  neededMicroRub: 40_000_000n,
  resetsAt: new Date('2026-11-30T21:00:00Z'),
}

const WHY =
  'When you asked, ₽25.00 of your limit of ₽500.00 a month was left, with ₽5.00 in progress, ' +
  'and this needs ₽40.00. Nothing was charged.\nIt resets on 1 Dec 2026, 00:00.'

test('words that a limit kept from being ordered stay on a card, which orders them when there is room', async () => {
  let refusal: LimitRefusal | undefined = REFUSAL
  const { send, press, cardIn, created } = await openChat({ findRefusal: () => refusal })

  const userId = await send('/video a fox in the snow')

  expect(cardIn(userId)).toMatchObject({
    text: `${WHY}\n\nA video: 5 s, 720p, horizontal — ₽40.00\n\nOrder it?`,
  })
  const { buttons, data } = cardIn(userId)
  expect(buttons.slice(3)).toEqual([
    ['Order for ₽40.00'],
    ['Don’t order'],
    ['Ask for a higher limit'],
  ])
  expect(data.at(-1)).toBe('limit-ask:7:month::40000000')
  expect(created).toEqual([])

  await press(userId, 'Order for ₽40.00')
  expect(cardIn(userId).text).toContain(WHY)

  refusal = undefined
  await press(userId, 'Order for ₽40.00')
  expect(created).toMatchObject([
    { media: { request: { prompt: 'a fox in the snow' } }, statusMessageId: cardIn(userId).id },
  ])
})
