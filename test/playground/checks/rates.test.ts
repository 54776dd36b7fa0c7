import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

test('flood control `eager` refuses the fifth message to one chat within a second', async () => {
  const clock = createManualClock()
  const { call } = await openPlayground({ clock, flood: 'eager' })
  const send = () => call('sendMessage', { chat_id: 5, text: 'a' })

  for (let count = 0; count < 4; count++) expect((await send()).status).toBe(200)
  const refused = await send()

  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.body).toEqual({
    ok: false,
    error_code: 429,
    description: 'Too Many Requests: retry after 1',
    parameters: { retry_after: 1 },
  })
  clock.advance(1_000)
  expect((await send()).status).toBe(200)
})

test('calls before the end of a 429 prolong it', async () => {
  const clock = createManualClock()
  const { call } = await openPlayground({ clock, flood: 'eager' })
  const send = () => call('sendMessage', { chat_id: 5, text: 'a' })
  for (let count = 0; count < 5; count++) await send()

  const second = await send()
  const third = await send()
  clock.advance(2_999)
  const late = await send()

  expect(second.body.parameters?.retry_after).toBe(2)
  expect(third.body.parameters?.retry_after).toBe(3)
  expect(late.status).toBe(429)
})

test('flood control `real` holds a short excess, which succeeds in the order of asking', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock, flood: 'real' })
  for (let count = 0; count < 4; count++) await call('sendMessage', { chat_id: 5, text: 'a' })

  const held = ['b', 'c', 'd'].map(async (text, index) => {
    await playground.waitFor(({ calls }) => calls.length === 4 + index)
    return call('sendMessage', { chat_id: 5, text })
  })
  await playground.waitFor(({ calls }) => calls.at(6)?.heldMs === 3_000)
  clock.advance(3_000)

  for (const answer of await Promise.all(held)) expect(answer.status).toBe(200)
  expect(playground.calls.map(({ heldMs }) => heldMs)).toEqual([0, 0, 0, 0, 1_000, 2_000, 3_000])
  const texts = playground.transcript(5).map(({ text }) => text)
  expect(texts.join('')).toBe('aaaabcd')
})
