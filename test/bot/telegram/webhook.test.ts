import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Update } from 'grammy/types'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createTelegramApi, keepTrying } from '../../../src/bot/telegram/api.ts'
import { SettingRefusedError } from '../../../src/bot/telegram/errors.ts'
import { createWebhookPlugin, setWebhook } from '../../../src/bot/telegram/webhook.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { createHttpServer } from '../../../src/process/http-server.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { messageUpdate } from './inbox-setup.ts'

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

test('a body without the secret is not waited for: 401, and the connection ends', async () => {
  const { http, received } = await open()
  const socket = connect(Number(new URL(await http.listen({ port: 0 })).port))

  socket.write(
    `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 4000000\r\n\r\n{`,
  )
  const answer = await text(socket)

  expect(answer).toMatch(/^HTTP\/1\.1 401 .*connection: close/is)
  expect(received).toEqual([])
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
})

test('the webhook is set however often Telegram fails, unless it refuses the address', async () => {
  const time = createManualClock()
  const playground = createPlayground({ webhooks: 'cloud', clock: time })
  const { apiRoot } = await playground.listen()
  onTestFinished(() => playground.close())
  const { calls } = createTelegramApi({ token: playground.token, apiRoot })
  const waits: number[] = []
  const sleep = async (delayMs: number) => {
    waits.push(delayMs)
    // Telegram takes a webhook once a second.
    time.advance(delayMs)
  }
  const clock = { now: () => 0, sleep }
  const retryOptions = {
    clock,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  }
  const setTo = (publicUrl: string) =>
    keepTrying('set', () => setWebhook(calls, { publicUrl, secret: SECRET }), retryOptions)
  for (const kind of ['500', 'html', 'dropBefore', 'dropAfter'] as const) {
    playground.fault({ kind, method: 'setWebhook' })
  }
  playground.fault({ kind: '429', retryAfter: 7, method: 'setWebhook' })

  const refused = setTo('http://bot.example.com')

  await expect(refused).rejects.toBeInstanceOf(SettingRefusedError)
  await expect(refused).rejects.toThrow(/PUBLIC_URL: .*HTTPS URL must be provided/)
  expect(waits).toHaveLength(5)
  expect(waits.at(-1)).toBe(7000)
  await expect(setTo('https://bot.example.com:8080')).rejects.toThrow(/PUBLIC_URL: .*ports/)
  await setTo('https://bot.example.com')
})
