import { expect, test } from 'vitest'
import { openPlayground } from './open-playground.ts'

test('a path that is no Bot API is 404, a token is judged before the method', async () => {
  const { apiRoot, playground } = await openPlayground()
  const ask = async (path: string) => {
    const response = await fetch(`${apiRoot}${path}`)
    return [response.status, await response.json()]
  }
  const error = (error_code: number, description: string) => [
    error_code,
    { ok: false, error_code, description },
  ]

  expect(await ask('/other')).toEqual(error(404, 'Not Found'))
  expect(await ask('/bot1:2')).toEqual(error(404, 'Not Found'))
  const malformed = error(401, 'Unauthorized: invalid token specified')
  expect(await ask('/bot01:2/getMe')).toEqual(malformed)
  expect(await ask('/botabc/getMe')).toEqual(malformed)
  expect(await ask(`/bot1:${'x'.repeat(80)}/getMe`)).toEqual(malformed)
  expect(await ask('/bot1:2/nothing')).toEqual(error(401, 'Unauthorized'))
  const unknown = error(404, 'Not Found: method not found')
  expect(await ask(`/bot${playground.token}/nothing`)).toEqual(unknown)
})

test('parameters come from the query, a form, JSON or parts, under any verb and case', async () => {
  const { apiRoot, playground } = await openPlayground()
  const root = `${apiRoot}/bot${playground.token}`
  const parts = new FormData()
  parts.set('chat_id', '5')
  parts.set('text', 'parts')

  await fetch(`${root}/SENDMESSAGE?chat_id=5&text=query`)
  await fetch(`${root}/sendMessage`, {
    method: 'PUT',
    body: new URLSearchParams({ chat_id: '5', text: 'form' }),
  })
  await fetch(`${root}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"chat_id": "5", "text": "JSON"}',
  })
  await fetch(`${root}/?method=sendMessage`, { method: 'POST', body: parts })

  const texts = playground.transcript(5).map(({ text }) => text)
  expect(texts).toEqual(['query', 'form', 'JSON', 'parts'])
})

test('a body that is no JSON object is passed over, parameters over 1 MiB are refused', async () => {
  const { apiRoot, playground } = await openPlayground()
  const ask = async (body: string) => {
    const response = await fetch(`${apiRoot}/bot${playground.token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return [response.status, ((await response.json()) as { description: string }).description]
  }

  expect(await ask('[1]')).toEqual([400, 'Bad Request: message text is empty'])
  expect(await ask('{"text')).toEqual([400, 'Bad Request: message text is empty'])
  const large = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
  expect(await ask(large)).toEqual([413, 'Request Entity Too Large'])
})

test('every call to the Bot API is recorded with its parameters and its answer', async () => {
  const { call, playground } = await openPlayground()

  await call('sendMessage', { chat_id: 5, text: '' })

  expect(playground.calls).toMatchObject([
    {
      method: 'sendMessage',
      chatId: 5,
      params: { chat_id: '5', text: '' },
      status: 400,
      body: { ok: false, description: 'Bad Request: message text is empty' },
      heldMs: 0,
    },
  ])
})
