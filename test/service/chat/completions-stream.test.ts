import { expect, test } from 'vitest'
import { fromWireRub } from '../../../src/contract/money.ts'
import {
  DONE,
  delta,
  finish,
  sends,
  sendsAndHangs,
  sendsAndResets,
  usage,
} from '../providers/openai-server.ts'
import { readText, theHold } from '../service-fixture.ts'
import { ANSWERS, COST, CREDIT, gated, STREAM, startChatService } from './chat-fixture.ts'

const USAGE = usage(12, 5)

const END_WAITING = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`

test('a stream is exactly the bytes that the interface document asks for', async () => {
  const { kopeck } = await startChatService(sends(delta('Пу'), delta('"\n'), finish(), USAGE, DONE))

  const response = await kopeck.chat(STREAM)
  const bytes = await response.text()

  const { request_id: id } = await theHold(kopeck.pool)
  const head = `data: {"id":"${id}","object":"chat.completion.chunk","model":"alpha","choices":[{"index":0,"delta":{`
  const final =
    '"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17},"cost_rub":0.0048,"cost_coins":0.0048'
  expect(bytes).toBe(
    [
      `${head}"content":"Пу"},"finish_reason":null}]}`,
      `${head}"content":"\\"\\n"},"finish_reason":null}]}`,
      `${head}},"finish_reason":"stop"}],${final}}`,
      'data: [DONE]',
      '',
    ].join('\n\n'),
  )
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
})

test('when [DONE] arrives the balance has moved by exactly cost_rub', async () => {
  const { kopeck } = await startChatService(ANSWERS)

  const cost = lastCost(await (await kopeck.chat(STREAM)).text())

  const { balance_rub } = (await (await kopeck.call('/balance')).json()) as { balance_rub: number }
  expect(1000 - balance_rub).toBeCloseTo(cost, 6)
  expect(fromWireRub(cost)).toBe(COST)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: '4800' })
})

test('each delta is passed on as it comes, and recorded as output before its first byte', async () => {
  const gate = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await gate.promise
    response.end(`${delta('second')}${finish()}${USAGE}${DONE}`)
  })

  const reader = readText(await kopeck.chat(STREAM))
  const first = await reader.next()
  const hold = await theHold(kopeck.pool)
  gate.resolve()
  const rest = await reader.rest()

  expect(first).toContain('"content":"first"')
  expect(first).not.toContain('second')
  expect(hold).toMatchObject({ state: 'held', output_at: expect.any(Date) })
  expect(rest).toContain('"content":"second"')
})

test('a connection to the database that breaks while the first output is recorded costs the stream nothing but a moment', async () => {
  const { responder, asked, open } = gated()
  const { kopeck } = await startChatService(responder)
  const answering = kopeck.chat(STREAM)
  await asked
  const client = await kopeck.pool.connect()
  await client.query('BEGIN; SELECT FROM service.request FOR UPDATE')
  open()
  await expect.poll(async () => (await kopeck.pool.query(END_WAITING)).rowCount).toBe(1)
  await client.query('ROLLBACK')
  client.release()

  const response = await answering

  expect(response.status).toBe(200)
  expect(await response.text()).toContain('"content":"слово"')
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled' })
})

test('a stream that breaks ends with an error event, and its estimate stays charged', async () => {
  const { kopeck } = await startChatService(sendsAndResets(delta('half of')))

  const response = await kopeck.chat(STREAM)
  const events = (await response.text()).trimEnd().split('\n\n')

  const hold = await theHold(kopeck.pool)
  expect(response.status).toBe(200)
  expect(events).toHaveLength(2)
  expect(events[1]).toBe('data: {"error":{"message":"The model broke off its answer."}}')
  expect(hold).toMatchObject({ state: 'captured', cost: hold.amount })
  expect(await kopeck.balance()).toBe(CREDIT - BigInt(hold.amount))
})

function lastCost(stream: string): number {
  const events = stream.trimEnd().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  return JSON.parse(events.at(-2)?.slice('data: '.length) ?? '').cost_rub
}
