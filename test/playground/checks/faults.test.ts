import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

test('dropAfter loses the answer and keeps the message: a blind retry doubles it', async () => {
  const { api, playground } = await openPlayground()
  playground.fault({ method: 'sendMessage', kind: 'dropAfter' })

  await expect(api.sendMessage(5, 'hello')).rejects.toThrow('sendMessage')
  await api.sendMessage(5, 'hello')

  expect(playground.transcript(5).map(({ text }) => text)).toEqual(['hello', 'hello'])
  expect(playground.calls.map(({ status }) => status)).toEqual([0, 200])
})

test('dropBefore loses the call: a retry sends once', async () => {
  const { api, playground } = await openPlayground()
  playground.fault({ method: 'sendMessage', kind: 'dropBefore' })

  await expect(api.sendMessage(5, 'hello')).rejects.toThrow('sendMessage')
  await api.sendMessage(5, 'hello')

  expect(playground.transcript(5)).toHaveLength(1)
})

test('a fault hits as many calls as it says, and only of its method and its `when`', async () => {
  const { call, playground } = await openPlayground()
  const fault = playground.fault({
    method: 'sendMessage',
    kind: '500',
    times: 2,
    when: ({ text }) => text === 'b',
  })
  const send = async (text: string) => (await call('sendMessage', { chat_id: 5, text })).status

  expect((await call('getMe')).status).toBe(200)
  expect([await send('a'), await send('b'), await send('b'), await send('b')]).toEqual([
    200, 500, 500, 200,
  ])
  expect(fault.hits).toBe(2)
})

test('a refusal by fault looks like the real one', async () => {
  const { call, apiRoot, playground } = await openPlayground()
  const ask = async () => {
    const { status, headers, body } = await call('getMe')
    return [status, headers.get('retry-after'), body.description, body.parameters?.retry_after]
  }

  playground.fault({ kind: '429', retryAfter: 7 })
  expect(await ask()).toEqual([429, '7', 'Too Many Requests: retry after 7', 7])
  playground.fault({ kind: '429', retryAfter: 7, withoutParameters: true })
  expect(await ask()).toEqual([429, null, 'Too Many Requests: retry after 7', undefined])
  playground.fault({ kind: 'restart' })
  expect(await ask()).toEqual([500, null, 'Internal Server Error: restart', undefined])
  playground.fault({ kind: 'unauthorized' })
  expect(await ask()).toEqual([401, null, 'Unauthorized', undefined])
  playground.fault({ kind: 'html' })
  const page = await fetch(`${apiRoot}/bot${playground.token}/getMe`)
  expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html'])
})

test('a held call is carried out when it is released, a held answer was carried out before', async () => {
  const { api, playground } = await openPlayground()
  const before = playground.fault({ method: 'sendMessage', kind: 'hold' })
  const after = playground.fault({ method: 'sendChatAction', kind: 'holdAfter' })

  const send = api.sendMessage(5, 'hello')
  const action = api.sendChatAction(5, 'typing')
  await playground.waitFor(() => before.hits + after.hits === 2 && playground.visibleAction(5))

  expect(playground.transcript(5)).toHaveLength(0)
  before.release()
  await send
  expect(playground.transcript(5)).toHaveLength(1)
  after.release()
  expect(await action).toBe(true)
})

test('a slow call takes its time on the playground clock', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const fault = playground.fault({ method: 'sendMessage', kind: 'slow', delayMs: 60_000 })
  const send = api.sendMessage(5, 'hello')
  await playground.waitFor(() => fault.hits === 1)

  expect(playground.transcript(5)).toHaveLength(0)
  clock.advance(60_000)

  expect((await send).date).toBe(clock.now() / 1000)
})

test('a server from before rich messages knows none of their methods and all others', async () => {
  const { api, call, playground } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'hello')
  const old = playground.fault({ kind: 'noRich' })
  const rich_message = { markdown: '**a**' }

  for (const method of ['sendRichMessage', 'sendRichMessageDraft']) {
    const { status, body } = await call(method, { chat_id: 5, draft_id: 1, rich_message })
    expect([status, body.description]).toEqual([404, 'Not Found: method not found'])
  }
  const edit = await call('editMessageText', { chat_id: 5, message_id, rich_message })
  const both = await call('editMessageText', { chat_id: 5, message_id, rich_message, text: 'a' })
  old.end()

  expect(edit.body.description).toBe('Bad Request: message text is empty')
  expect(both.body.ok).toBe(true)
  expect((await call('sendRichMessage', { chat_id: 5, rich_message })).status).toBe(200)
})

test('the fault refuseRich hits rich messages as often as asked, texts never', async () => {
  const { api, refusalOf, playground } = await openPlayground()
  const description = 'RICH_MESSAGE_URL_INVALID'
  const fault = playground.fault({ kind: 'refuseRich', description, times: 2 })
  const rich_message = { markdown: 'a' }

  const { message_id } = await api.sendMessage(5, 'hello')
  const edit = { chat_id: 5, message_id, rich_message }

  expect(await refusalOf('editMessageText', edit)).toBe(`Bad Request: ${description}`)
  expect(await refusalOf('sendRichMessage', { chat_id: 5, rich_message })).toMatch(description)
  expect(await refusalOf('editMessageText', edit)).toBe('ok')
  expect(fault.hits).toBe(2)
})

test('a call is refused with the error that a test names', async () => {
  const { call, playground } = await openPlayground()
  const refusal = { kind: 'refuse', status: 404, description: 'method not found' } as const
  playground.fault({ ...refusal, method: 'sendMessage' })
  const message = { chat_id: 5, text: 'a' }

  const { status, body } = await call('sendMessage', message)

  expect([status, body.description]).toEqual([404, 'Not Found: method not found'])
  expect((await call('sendMessage', message)).body.ok).toBe(true)
})

test('close() cuts a held call', async () => {
  const { api, playground } = await openPlayground()
  const fault = playground.fault({ method: 'sendMessage', kind: 'hold' })
  const send = api.sendMessage(5, 'hello')
  const ended = expect(send).rejects.toThrow('sendMessage')
  await playground.waitFor(() => fault.hits === 1)

  await playground.close()

  await ended
})
