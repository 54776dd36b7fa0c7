import { expect, test } from 'vitest'
import { publishFlow } from '../../../src/platform/service-flow.ts'
import type { WireFault } from '../../../src/playground/web/api.ts'
import { openPlayground } from '../open-playground.ts'
import { createActor, openPage } from './open-page.ts'

test('the panel lists every call with its answer, and never the token', async () => {
  const { api, apiRoot, playground, refusalOf } = await openPlayground()
  await api.sendMessage(5, `my token is ${playground.token}`)
  const page = await openPage(apiRoot, 'as=5&panel=1')
  const before = await page.next('calls')

  await refusalOf('sendMessage', { chat_id: 77, text: 'hello' })
  const after = await page.next('calls')

  expect(before.data).toMatchObject([
    {
      seq: 1,
      method: 'sendMessage',
      chat_id: 5,
      status: 200,
      params: { text: 'my token is …' },
      result: expect.stringContaining('"text":"my token is …"'),
      duration_ms: expect.any(Number),
    },
  ])
  expect(JSON.stringify(before.data)).not.toContain(playground.token)
  expect(after.data.at(-1)).toMatchObject({
    seq: 2,
    status: 400,
    description: 'Bad Request: chat not found',
  })
})

test('a token that stands where a value is cut is not shown in part', async () => {
  const { api, apiRoot, playground } = await openPlayground()
  await api.sendMessage(5, `${'x'.repeat(1_980)}${playground.token}`)
  const page = await openPage(apiRoot, 'as=5&panel=1')

  const { data } = await page.next('calls')

  expect(data[0]?.params.text).toBe(`${'x'.repeat(1_980)}…`)
  expect(JSON.stringify(data)).not.toContain(playground.token.slice(0, 12))
})

test('a page without the panel gets no calls', async () => {
  const { api, apiRoot } = await openPlayground()
  const page = await openPage(apiRoot, 'as=5')

  await api.sendMessage(5, 'one')
  const event = await page.nextEvent()

  expect(event.name).toBe('message')
})

test('the panel hears of lints', async () => {
  const { api, apiRoot, refusalOf } = await openPlayground()
  const page = await openPage(apiRoot, 'as=5&panel=1')
  await page.next('lints')
  const { message_id } = await api.sendMessage(5, 'one')

  await refusalOf('editMessageText', { chat_id: 5, message_id, text: 'one' })
  const { data } = await page.next('lints')

  expect(data).toMatchObject([{ seq: 1, rule: 'identical-edit', chat_id: 5 }])
})

test('a fault hits as often as it was set to, and is listed with its hits', async () => {
  const { apiRoot, call } = await openPlayground()
  const page = await openPage(apiRoot, 'as=5&panel=1')
  await page.next('faults')
  const { act } = createActor(apiRoot)

  const fault = { kind: '429', method: 'sendMessage', times: 1, retry_after: 7 }
  const made = (await act('/faults', fault)) as WireFault
  const on = await page.next('faults')
  const refused = await call('sendMessage', { chat_id: 5, text: 'one' })
  const hit = await page.next('faults')
  const passed = await call('sendMessage', { chat_id: 5, text: 'one' })
  await act(`/faults/${made.id}/end`)
  const off = await page.next('faults')

  expect(on.data).toEqual([{ ...fault, id: made.id, hits: 0 }])
  expect([refused.status, refused.body.parameters]).toEqual([429, { retry_after: 7 }])
  expect(passed.status).toBe(200)
  expect(hit.data).toMatchObject([{ id: made.id, hits: 1 }])
  expect(off.data).toEqual([])
})

test('a delay that no timer can wait for is refused', async () => {
  const { apiRoot } = await openPlayground()
  const { refused } = createActor(apiRoot)

  const refusal = await refused('/faults', { kind: 'slow', delay_ms: 1e12 })

  expect(refusal).toEqual([422, 'delay_ms is more than 600000'])
})

test('a fault of any method lets the poll for updates alone, until it is switched off', async () => {
  const { apiRoot, call } = await openPlayground()
  const { act } = createActor(apiRoot)

  const { id } = (await act('/faults', { kind: '5xx' })) as WireFault
  const during = [await call('getUpdates'), await call('getMe'), await call('getMe')]
  await act(`/faults/${id}/end`)
  const after = await call('getMe')

  expect(during.map(({ status }) => status)).toEqual([200, 500, 500])
  expect(after.status).toBe(200)
})

test('a person who blocks the bot as a fault takes it back when the fault ends', async () => {
  const { apiRoot, call, playground } = await openPlayground()
  const page = await openPage(apiRoot, 'as=5&panel=1')
  await page.next('faults')
  const { act } = createActor(apiRoot)

  const { id } = (await act('/faults', { kind: 'blocked', chat_id: 5 })) as WireFault
  await page.next('faults')
  const refused = await call('sendMessage', { chat_id: 5, text: 'one' })
  const hit = await page.next('faults')
  await act(`/faults/${id}/end`)
  const after = await call('sendMessage', { chat_id: 5, text: 'two' })

  expect(refused.status).toBe(403)
  expect(hit.data).toMatchObject([{ kind: 'blocked', chat_id: 5, hits: 1 }])
  expect(after.status).toBe(200)
  expect(playground.transcript(5).map(({ text }) => text)).toEqual(['two'])
})

test('a topic that is deleted as a fault is gone for the bot', async () => {
  const { apiRoot, call, playground } = await openPlayground()
  const chatId = -1_000_000_000_020
  playground.addGroup({ id: chatId, title: 'Forum', members: [5], isForum: true })
  const threadId = playground.addTopic(chatId, 'Ideas')
  const { act, refused } = createActor(apiRoot)
  const fault = { kind: 'topic_deleted', chat_id: chatId, thread_id: threadId }

  await act('/faults', fault)
  const sent = await call('sendMessage', {
    chat_id: chatId,
    message_thread_id: threadId,
    text: 'a',
  })

  expect(sent.body.description).toBe('Bad Request: message thread not found')
  expect(await refused('/faults', fault)).toEqual([404, `There is no topic ${threadId}`])
})

test('a panel lists what the service did since a page was opened, and what it does from then on', async () => {
  const { apiRoot } = await openPlayground()
  await openPage(apiRoot, 'as=5')
  publishFlow(() => ({
    kind: 'hold',
    reference: 'r1',
    accountId: 1,
    label: 'alpha',
    amountRub: '2',
  }))

  const page = await openPage(apiRoot, 'as=5&panel=1')
  const before = await page.next('flow')
  publishFlow(() => ({ kind: 'settle', reference: 'r1', amountRub: '0.5' }))
  const after = await page.next('flow')

  expect(before.data).toMatchObject([{ seq: 1, kind: 'hold', amount_rub: '2' }])
  expect(after.data).toMatchObject([{ seq: 2, kind: 'settle', amount_rub: '0.5', held_rub: '2' }])
})
