import { expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../platform/time/manual-clock.ts'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { carelessCalls } from '../../careless-calls.ts'
import { ended } from '../turns/ended.ts'
import { allLabels, press } from './buttons.ts'

interface RowSetup extends BotSetup {
  clock: ManualClock
}

const ROW = ['↻ Again', '⇄ Other model']

test('the row comes with the end of an answer, and each button leads to prices and back', async () => {
  const setup = await openChat()

  await ask(setup)
  expect(allLabels(setup, ANNA)).toEqual([ROW])
  expect(keyboardCalls(setup)).toBe(0)

  await pressRow(setup, '⇄ Other model', [['With beta <₽0.01', '« Back']])
  await pressRow(setup, '« Back', [ROW])
  await pressRow(setup, '↻ Again', [['↻ Again ≈\u00a0₽0.01', '« Back']])
})

test('where question follows question one row is taken away, and one comes when they end', async () => {
  const setup = await openChat()

  for (let asked = 0; asked < 8; asked++) await ask(setup)
  await whileTimeRuns(setup, () => rowIsBelowLast(setup))

  expect(keyboardCalls(setup)).toBe(2)
  expect(carelessCalls(setup.playground)).toEqual([])
})

async function openChat(): Promise<RowSetup> {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  await setup.startBot()
  return { ...setup, clock }
}

async function ask(setup: RowSetup): Promise<void> {
  const count = await setup.database.prisma.turn.count()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await setup.service.next()
  completion.answer('Hi.')
  await whileTimeRuns(setup, () => ended(setup, count + 1))
}

async function pressRow(setup: RowSetup, label: string, labels: string[][]): Promise<void> {
  await whileTimeRuns(setup, async () => {
    await press(setup, label)
    await expect.poll(() => allLabels(setup, ANNA)).toEqual(labels)
  })
}

async function rowIsBelowLast(setup: RowSetup): Promise<void> {
  const last = () => setup.playground.transcript(ANNA).at(-1)?.replyMarkup
  const seen = () => ({ labels: allLabels(setup, ANNA), isBelowLast: last() !== undefined })
  await expect.poll(seen, { timeout: 20_000 }).toEqual({ labels: [ROW], isBelowLast: true })
}

async function whileTimeRuns({ clock }: RowSetup, act: () => Promise<void>): Promise<void> {
  const running = setInterval(() => clock.advance(100), 10)
  await act().finally(() => clearInterval(running))
}

function keyboardCalls({ playground }: BotSetup): number {
  return playground.calls.filter(({ method }) => method === 'editMessageReplyMarkup').length
}
