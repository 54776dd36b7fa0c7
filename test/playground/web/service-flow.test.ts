import { expect, onTestFinished, test } from 'vitest'
import { publishFlow, type RequestFlow } from '../../../src/platform/service-flow.ts'
import type { WireFlow } from '../../../src/playground/web/api.ts'
import { watchServiceFlow } from '../../../src/playground/web/service-flow.ts'

function watch() {
  const sent: WireFlow[] = []
  const watched = watchServiceFlow({
    clock: { date: () => new Date(5_000) },
    onFlow: (flow) => void sent.push({ ...flow }),
  })
  onTestFinished(watched.stop)
  return { ...watched, sent }
}

test('a request is one line, which changes as it goes on', () => {
  const { flows, sent } = watch()
  const request: RequestFlow = {
    kind: 'request',
    method: 'POST',
    route: '/api/v1/chats/completions',
  }

  publishFlow(() => request)
  request.reference = 'r1'
  publishFlow(() => request)
  Object.assign(request, { accountId: 1, status: 200, durationMs: 40 })
  publishFlow(() => request)

  expect(sent.map(({ seq, status }) => [seq, status])).toEqual([
    [1, undefined],
    [1, undefined],
    [1, 200],
  ])
  expect(flows).toEqual([
    {
      seq: 1,
      at: 5_000,
      kind: 'request',
      reference: 'r1',
      account: '1',
      text: 'POST /chats/completions',
      status: 200,
      duration_ms: 40,
    },
  ])
})

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
