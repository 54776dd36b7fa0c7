import { expect, onTestFinished, test, vi } from 'vitest'
import { estimatePromptTokens } from '../../../src/contract/token-estimate.ts'
import { LEFT_MS_MAX } from '../../../src/service/chat/chat-client.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sendsAndHangs,
  usage,
} from '../providers/openai-server.ts'
import { readText, type TestService, theHold } from '../service-fixture.ts'
import { ANSWERS, CHAT, COST, CREDIT, gated, STREAM, startChatService } from './chat-fixture.ts'

const PROMPT_COST = BigInt(estimatePromptTokens([{ role: 'user', content: 'Привет' }]) * 150)

test('a stream that its client leaves before the first token is aborted and costs the prompt', async () => {
  const { responder, asked } = gated()
  const { kopeck, upstream } = await startChatService(responder)

  await leaveOnce(asked, kopeck, STREAM)

  await upstream.clientLeft
  await expect
    .poll(() => theHold(kopeck.pool))
    .toMatchObject({ state: 'settled', cost: `${PROMPT_COST}` })
  expect(await kopeck.balance()).toBe(CREDIT - PROMPT_COST)
})

test('a client that leaves after the first token has the upstream closed and pays the estimate', async () => {
  const { kopeck, upstream } = await startChatService(sendsAndHangs(delta('first')))

  const leave = new AbortController()
  const reader = readText(await kopeck.chat(STREAM, { signal: leave.signal }))
  await reader.next()
  leave.abort()

  await upstream.clientLeft
  await kopeck.service.stop(20_000)
  const hold = await theHold(kopeck.pool)
  expect(hold).toMatchObject({ state: 'captured', cost: hold.amount })
})

test('a plain request that its client left pays what its answer costs', async () => {
  const { responder, asked, open } = gated()
  const { kopeck } = await startChatService(responder)

  await leaveOnce(asked, kopeck)
  open()

  await kopeck.service.stop(20_000)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${COST}` })
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

test('the body of a plain request that its client left counts until its answer is there', async () => {
  const { responder, asked, open } = gated()
  const { kopeck } = await startChatService(responder, {
    context_tokens: 100_000_000,
    prompt_rub_per_1m: '1',
  })
  const large = 'x'.repeat(25 * 1024 * 1024)
  const status = async () => (await kopeck.chat(large)).status

  await leaveOnce(asked, kopeck, { ...CHAT, messages: [{ role: 'user', content: large }] })
  const whileAwaited = await status()
  open()

  expect(whileAwaited).toBe(429)
  await expect.poll(status).toBe(422)
})

test('a plain request that gets no answer within 120 s after its client left costs the prompt', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { begun, responder } = begins()
  const { kopeck, upstream } = await startChatService(responder)

  await leaveOnce(begun, kopeck)
  await vi.advanceTimersByTimeAsync(LEFT_MS_MAX)

  await upstream.clientLeft
  await expect
    .poll(() => theHold(kopeck.pool))
    .toMatchObject({ state: 'settled', cost: `${PROMPT_COST}` })
})

test('stop() charges the prompt of an answer whose client has left', async () => {
  const { responder, asked } = gated()
  const { kopeck, upstream } = await startChatService(responder)

  await leaveOnce(asked, kopeck)
  await kopeck.service.stop(0)

  await upstream.clientLeft
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${PROMPT_COST}` })
})

test('a plain request that the service breaks off costs nothing, however much had come', async () => {
  const { begun, responder } = begins()
  const { kopeck } = await startChatService(responder)

  const answer = kopeck.chat(CHAT)
  await begun
  await kopeck.service.stop(0)

  expect((await answer).status).toBe(503)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
})

test('stop() lets a stream run to its end, and refuses new requests', async () => {
  const gate = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await gate.promise
    response.end(`${finish()}${usage(12, 5)}${DONE}`)
  })

  const reader = readText(await kopeck.chat(STREAM))
  await reader.next()
  const stopped = kopeck.service.stop(20_000)
  const refused = await kopeck.chat(STREAM)
  gate.resolve()
  const rest = await reader.rest()
  await stopped

  expect(refused.status).toBe(503)
  expect(rest).toContain('data: [DONE]')
})

test('stop() breaks off a stream that lasts too long: error event, estimate kept', async () => {
  const { kopeck } = await startChatService(sendsAndHangs(delta('first')))

  const reader = readText(await kopeck.chat(STREAM))
  await reader.next()
  await kopeck.service.stop(0)

  expect(await reader.rest()).toBe('data: {"error":{"message":"The service is stopping."}}\n\n')
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'captured' })
})

test('stop() breaks off a request that waits for its first token: 503, estimate back', async () => {
  const { responder, asked } = gated()
  const { kopeck } = await startChatService(responder)

  const answer = kopeck.chat(STREAM)
  await asked
  await kopeck.service.stop(0)

  expect((await answer).status).toBe(503)
  expect(await kopeck.balance()).toBe(CREDIT)
})

test('stop() waits for the requests whose money is just moving: each is answered, and its hold has ended', async () => {
  const { kopeck } = await startChatService(ANSWERS)
  const asked = Array.from({ length: 30 }, () => kopeck.chat(CHAT))
  await asked[0]

  await kopeck.service.stop(20_000)

  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  const { rows } = await kopeck.pool.query(
    `SELECT COALESCE(end_state::text, 'held') AS state, count(*)::int AS count FROM service.request GROUP BY 1`,
  )
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(rows).toEqual([{ state: 'settled', count: statuses.filter((one) => one === 200).length }])
})

async function leaveOnce(
  time: Promise<unknown>,
  kopeck: TestService,
  body: object = CHAT,
): Promise<void> {
  const leave = new AbortController()
  const answer = kopeck.chat(body, { signal: leave.signal }).catch((error: Error) => error.name)
  await time
  leave.abort()
  expect(await answer).toBe('AbortError')
  await expect.poll(() => kopeck.service.readMetrics()).toContain('status="499"')
}

/** An answer whose first word has been read, and that never ends. */
function begins(): { begun: Promise<void>; responder: Responder } {
  const begun = Promise.withResolvers<void>()
  const responder: Responder = async (...http) => {
    await sendsAndHangs(delta('слово'))(...http)
    begun.resolve()
  }
  return { begun: begun.promise, responder }
}
