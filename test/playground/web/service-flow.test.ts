import { expect, onTestFinished, test } from 'vitest'
import { serviceFlow } from '../../../src/platform/service-flow.ts'
import { watchServiceFlow } from '../../../src/playground/web/service-flow.ts'

function watch() {
  const clock = { date: () => new Date(5_000) }
  const watched = watchServiceFlow({ clock, onFlow: () => {} })
  onTestFinished(watched.stop)
  return watched
}

test('a hold that is kept costs what was held, also where its end does not say how much that was', () => {
  const { flows } = watch()

  serviceFlow.publish({ kind: 'hold', reference: 'r1', accountId: 1, amountRub: '0.5' })
  serviceFlow.publish({ kind: 'keep', reference: 'r1' })

  expect(flows[1]).toMatchObject({ kind: 'keep', amount_rub: '0.5', held_rub: '0.5' })
})
