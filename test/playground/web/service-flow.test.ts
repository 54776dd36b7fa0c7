import { expect, onTestFinished, test } from 'vitest'
import { publishFlow } from '../../../src/platform/service-flow.ts'
import { watchServiceFlow } from '../../../src/playground/web/service-flow.ts'

function watch() {
  const clock = { date: () => new Date(5_000) }
  const watched = watchServiceFlow({ clock, onFlow: () => {} })
  onTestFinished(watched.stop)
  return watched
}

test('a settlement says what was held, for which model and on which account', () => {
  const { flows } = watch()

  publishFlow(() => ({
    kind: 'hold',
    reference: 'r1',
    accountId: 1,
    label: 'alpha',
    amountRub: '0.5',
  }))
  publishFlow(() => ({ kind: 'settle', reference: 'r1', amountRub: '0.2' }))

  expect(flows[1]).toEqual({
    seq: 2,
    at: 5_000,
    kind: 'settle',
    reference: 'r1',
    account: '1',
    text: 'alpha',
    amount_rub: '0.2',
    held_rub: '0.5',
  })
})

test('a hold that is kept costs what was held, also where its end does not say how much that was', () => {
  const { flows } = watch()

  publishFlow(() => ({ kind: 'hold', reference: 'r1', accountId: 1, amountRub: '0.5' }))
  publishFlow(() => ({ kind: 'keep', reference: 'r1' }))

  expect(flows[1]).toMatchObject({ kind: 'keep', amount_rub: '0.5', held_rub: '0.5' })
})
