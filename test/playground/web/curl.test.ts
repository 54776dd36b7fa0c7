import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

test('a person with curl writes, presses and reads', async () => {
  const { api, apiRoot, playground } = await openPlayground()
  const post = async (path: string, body: object) => {
    const response = await fetch(`${apiRoot}/playground/chats/${path}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    })
    return [response.status, await response.json()] as const
  }

  const [status, sent] = await post('77/messages', { text: '/start' })
  const { message_id } = await api.sendMessage(77, 'hello', {
    reply_markup: { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] },
  })
  const pressed = await post('77/presses', { message_id, data: 'more' })
  const missing = await post('77/presses', { message_id, data: 'less' })
  const read = await fetch(`${apiRoot}/playground/chats/77`)

  expect(status).toBe(200)
  expect(sent).toMatchObject({
    messages: [{ message: { text: '/start', from: { id: 77, first_name: 'User 77' } } }],
  })
  expect(pressed).toEqual([200, { callback_query_id: expect.any(String) }])
  expect(missing).toEqual([
    400,
    { detail: `Cannot press: message ${message_id} has no button "less"` },
  ])
  expect(await read.json()).toMatchObject({
    messages: [
      { from: 'user', text: '/start' },
      { from: 'bot', text: 'hello' },
    ],
  })
  expect(playground.transcript(77)).toHaveLength(2)
})
