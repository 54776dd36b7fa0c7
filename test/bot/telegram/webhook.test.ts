import type { Update } from 'grammy/types'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createWebhookPlugin } from '../../../src/bot/telegram/webhook.ts'
import { createHttpServer } from '../../../src/http-server.ts'
import { messageUpdate } from './inbox-stage.ts'

const SECRET = 'the_Secret-1'
const PATH = '/telegram/webhook'
const update = messageUpdate(1, 'hello')

async function open(receive?: (update: Update) => Promise<void>) {
  const received: Update[] = []
  const http = createHttpServer({ log: pino({ level: 'silent' }) })
  await http.register(
    createWebhookPlugin({
      secret: SECRET,
      receive: receive ?? (async (one) => void received.push(one)),
    }),
  )
  http.get('/other', async () => 'open')
  onTestFinished(() => http.close())
  const post = (payload: string | object, secret: string | undefined = SECRET, more = {}) =>
    http.inject({
      method: 'POST',
      url: PATH,
      payload,
      headers: { ...(secret !== '' && { 'x-telegram-bot-api-secret-token': secret }), ...more },
    })
  return { http, post, received }
}

test('an update with the secret is stored, then confirmed', async () => {
  const gate = Promise.withResolvers<void>()
  let isAnswered = false
  const { post } = await open(() => gate.promise)

  const answering = post(update).then((answer) => {
    isAnswered = true
    return answer
  })
  await new Promise(setImmediate)
  expect(isAnswered).toBe(false)
  gate.resolve()

  expect((await answering).statusCode).toBe(200)
})

test('without the secret nothing is read, and only this path asks for it', async () => {
  const { http, post, received } = await open()

  for (const secret of ['', 'the_Secret-2', SECRET.slice(0, -1), `${SECRET}1`]) {
    expect((await post(update, secret)).statusCode).toBe(401)
    expect((await post('no JSON', secret)).statusCode).toBe(401)
  }

  expect(received).toEqual([])
  expect((await http.inject('/other')).statusCode).toBe(200)
})

test('what is no update is refused', async () => {
  const { post, received } = await open()
  const json = { 'content-type': 'application/json' }

  for (const body of ['[]', 'null', '{}', '{"update_id":"1"}', '{"update_id":1.5}', '{']) {
    expect((await post(body, SECRET, json)).statusCode).toBe(400)
  }
  expect((await post(`{"update_id":1,"x":"${'a'.repeat(5e6)}"}`, SECRET, json)).statusCode).toBe(
    413,
  )
  expect((await post('update_id=1', SECRET, { 'content-type': 'text/plain' })).statusCode).toBe(400)

  expect(received).toEqual([])
})

test('Telegram is asked to come again when an update could not be stored', async () => {
  const failing = await open(() => Promise.reject(new Error('Cannot store')))
  expect((await failing.post(update)).statusCode).toBe(500)

  const early = await open(() => undefined as unknown as Promise<void>)
  expect((await early.post(update)).statusCode).toBe(503)
})
