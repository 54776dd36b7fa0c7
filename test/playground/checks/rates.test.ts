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

test('flood control `eager` refuses the 21st message to a group within a minute, edits included', async () => {
  const clock = createManualClock()
  const { api, call, playground } = await openPlayground({ clock, flood: 'eager' })
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  const { message_id } = await api.sendMessage(-20, '0')
  for (let count = 1; count < 20; count++) {
    clock.advance(1_000)
    await api.editMessageText(-20, message_id, String(count))
  }

  const refused = await call('sendMessage', { chat_id: -20, text: 'more' })

  expect(refused.status).toBe(429)
  expect(refused.body.parameters?.retry_after).toBe(41)
  clock.advance(41_000)
  expect((await call('sendMessage', { chat_id: -20, text: 'more' })).status).toBe(200)
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

test('flood control `real` refuses a call that would wait beyond 8 s', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock, flood: 'real' })
  const held: Promise<{ status: number }>[] = []
  for (let count = 0; count < 12; count++) {
    held.push(call('sendMessage', { chat_id: 5, text: 'a' }))
    await playground.waitFor(({ calls }) => calls.length === count + 1)
  }

  const refused = await call('sendMessage', { chat_id: 5, text: 'a' })
  clock.advance(8_000)

  expect(refused.body.parameters?.retry_after).toBe(9)
  expect((await Promise.all(held)).every(({ status }) => status === 200)).toBe(true)
})

test('flood control `real` holds a chat action for 2 s at most', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock, flood: 'real' })
  const act = () => call('sendChatAction', { chat_id: 5, action: 'typing' })
  const answers: Promise<{ status: number }>[] = []
  for (let count = 0; count < 5; count++) {
    answers.push(act())
    await playground.waitFor(({ calls }) => calls.length === count + 1)
  }

  const refused = await act()
  clock.advance(2_000)

  expect(refused.body.parameters?.retry_after).toBe(3)
  expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true)
})

test('a call that is refused with 429 leaves no message, and one chat does not slow another', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock, flood: 'eager' })
  playground.addUser({ id: 6, firstName: 'Bob' })
  for (let count = 0; count < 6; count++) await call('sendMessage', { chat_id: 5, text: 'a' })

  const other = await call('sendMessage', { chat_id: 6, text: 'a' })

  expect(playground.transcript(5)).toHaveLength(4)
  expect(other.status).toBe(200)
})

test('flood control `eager` lets 30 chats at once be written to unasked, and answers always', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock, flood: 'eager' })
  for (let id = 100; id < 132; id++) playground.addUser({ id, firstName: `User ${id}` })
  playground.userSends({ userId: 131, text: 'hello' })
  const send = async (chat_id: number) => (await call('sendMessage', { chat_id, text: 'a' })).status

  for (let id = 100; id < 130; id++) expect(await send(id)).toBe(200)

  expect(await send(130)).toBe(429)
  expect(await send(131)).toBe(200)
})

test('rich messages and edits to rich count like texts', async () => {
  const clock = createManualClock()
  const { call } = await openPlayground({ clock, flood: 'eager' })
  const rich = (markdown: string) => ({ chat_id: 5, rich_message: { markdown } })

  const statuses = [
    await call('sendRichMessage', rich('a')),
    await call('editMessageText', { ...rich('b'), message_id: 1 }),
    await call('sendRichMessage', rich('')),
    await call('editMessageText', { chat_id: 5, message_id: 1, text: 'c' }),
    await call('sendRichMessage', rich('d')),
    await call('sendRichMessage', rich('e')),
  ].map(({ status }) => status)

  expect(statuses).toEqual([200, 200, 400, 200, 200, 429])
})
