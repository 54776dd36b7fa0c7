import { expect, test } from 'vitest'
import { serviceFlow } from '../../../src/platform/service-flow.ts'
import { openPlayground } from '../open-playground.ts'
import { openPage } from './open-page.ts'

test('a panel lists what the service did since a page was opened, and what it does from then on', async () => {
  const { apiRoot } = await openPlayground()
  await openPage(apiRoot, 'as=5')
  serviceFlow.publish({
    kind: 'hold',
    reference: 'r1',
    accountId: 1,
    label: 'alpha',
    amountRub: '2',
  })

  const page = await openPage(apiRoot, 'as=5&panel=1')
  const before = await page.next('flow')
  serviceFlow.publish({ kind: 'settle', reference: 'r1', amountRub: '0.5' })
  const after = await page.next('flow')

  expect(before.data).toMatchObject([{ seq: 1, kind: 'hold', amount_rub: '2' }])
  expect(after.data).toMatchObject([{ seq: 2, kind: 'settle', amount_rub: '0.5', held_rub: '2' }])
})
