import { expect, test } from 'vitest'
import type { LimitRefusal } from '../../../../src/bot/spend/limits/limit-refusal.ts'
import { useCommands } from '../../commands/commands-setup.ts'
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
