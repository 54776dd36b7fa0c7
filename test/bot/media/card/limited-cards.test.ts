import { expect, test } from 'vitest'
import { createMediaRules } from '../../../../src/bot/media/order/rules.ts'
import type { LimitRefusal } from '../../../../src/bot/spend/limits/limit-refusal.ts'
import { database, useCommands } from '../../commands/commands-setup.ts'
import { openChat } from './card-setup.ts'

useCommands()

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

// Promise: A message or an order meets a limit
test('words that a limit kept from being ordered stay on a card, which orders them when there is room', async () => {
  let refusal: LimitRefusal | undefined = REFUSAL
  const { send, press, cardIn, created } = await openChat({ findRefusal: () => refusal })

  const userId = await send('/video a fox in the snow')

  expect(cardIn(userId)).toMatchObject({
    text: `${WHY}\n\nA clip: 5 s, 720p, horizontal — ₽40.00\n\nOrder it?`,
    buttons: [['Order for ₽40.00'], ['Don’t order'], ['Ask for a higher limit']],
    data: [expect.any(String), expect.any(String), 'limit-ask:7:month::40000000'],
  })
  expect(created).toEqual([])

  await press(userId, 'Order for ₽40.00')
  expect(cardIn(userId).text).toContain(WHY)

  refusal = undefined
  await press(userId, 'Order for ₽40.00')
  expect(created).toMatchObject([
    { media: { request: { prompt: 'a fox in the snow' } }, statusMessageId: cardIn(userId).id },
  ])
})

test('a card says in Russian which limit of the group leaves no room, and that only an admin raises one in all', async () => {
  const ofGroup: LimitRefusal = {
    subjectId: -5n,
    period: 'all',
    limitMicroRub: 100_000_000n,
    resetsAt: null,
    spentMicroRub: 100_000_000n,
    reservedMicroRub: 0n,
    neededMicroRub: 0n,
  }
  const { send, cardIn } = await openChat({ findRefusal: () => ofGroup })

  const userId = await send('/sound rain 5s', { languageCode: 'ru' })

  expect(cardIn(userId).text).toContain(
    'На момент запроса оставалось 0,00\u00a0₽ из лимита этой группы (100,00\u00a0₽ всего). ' +
      'Ничего не списано.\nПоднять лимит может только администратор.',
  )
  expect(cardIn(userId).buttons.at(-1)).toEqual(['Попросить поднять лимит'])
})

test('a card that was confirmed and met a limit can be confirmed again', async () => {
  const rules = createMediaRules(database.prisma)
  const { confirmFromMicroRub } = await rules.read()
  await rules.set({ confirmFromMicroRub: 0n }, { adminId: 1 })
  let refusal: LimitRefusal | undefined = REFUSAL
  const { send, press, cardIn, created } = await openChat({
    findRefusal: () => refusal,
  })
  const userId = await send('/image a fox')

  await press(userId, 'Order for ₽5.00')
  expect(cardIn(userId).text).toContain(WHY)
  refusal = undefined
  await press(userId, 'Order for ₽5.00')
  await rules.set({ confirmFromMicroRub }, { adminId: 1 })

  expect(created).toMatchObject([{ statusMessageId: cardIn(userId).id }])
})
