import { expect, onTestFinished, test, vi } from 'vitest'
import { estimatePromptTokens, estimateTokens } from '../../../src/contract/token-estimate.ts'
import { LEFT_MS_MAX } from '../../../src/service/chat/chat-client.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndHangs,
  sendsAndResets,
  usage,
} from '../providers/openai-server.ts'
import { readText, type TestService, theHold } from '../service-fixture.ts'

import { CHAT, CREDIT, startChatService } from './chat-fixture.ts'

const USAGE = usage(12, 5)
const BODY = { ...CHAT, stream: true }

test('a stream that its client leaves before the first token is aborted and costs the prompt', async () => {
  const asked = Promise.withResolvers<void>()
  const { kopeck, upstream } = await startChatService(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    asked.resolve()
  })

  await leaveOnce(asked.promise, kopeck, BODY)

  await upstream.clientLeft
  const cost = countedCost('')
  await expect.poll(() => theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${cost}` })
  expect(await kopeck.balance()).toBe(CREDIT - BigInt(cost))
})

test('a stream that its client leaves while the service waits to retry costs nothing', async () => {
  const refused = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(
    (response) => {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '5' })
      response.end('{}', () => refused.resolve())
    },
    { retries: 5 },
  )

  await leaveOnce(refused.promise, kopeck, BODY)

  await expect.poll(() => theHold(kopeck.pool)).toMatchObject({ state: 'released' })
  expect(await kopeck.balance()).toBe(CREDIT)
})

test('a client that leaves after the first token has the upstream closed and pays the estimate', async () => {
  const { kopeck, upstream } = await startChatService(sendsAndHangs(delta('first')))

  const leave = new AbortController()
  const reader = readText(await kopeck.chat(BODY, { signal: leave.signal }))
  await reader.next()
  leave.abort()

  await upstream.clientLeft
  await kopeck.service.stop(20_000)
  const hold = await theHold(kopeck.pool)
  expect(hold).toMatchObject({ state: 'captured', cost: hold.amount })
})

test('a plain request that its client left pays what its answer costs', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(async (...http) => {
    asked.resolve()
    await gate.promise
    await sends(delta('слово'), finish(), USAGE, DONE)(...http)
  })

  await leaveOnce(asked.promise, kopeck)
  gate.resolve()

  await kopeck.service.stop(20_000)
  // 12 × 150 and 5 × 600 roubles per 1M tokens.
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: '4800' })
  expect(await kopeck.balance()).toBe(CREDIT - 4800n)
})

test.each([
  ['fails', refuses(500, '{}')],
  ['breaks off', sendsAndResets(delta('half of'))],
])(
  'a plain request whose upstream %s when the client has left costs nothing, and asks no other',
  async (_, responder) => {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { kopeck, upstream } = await startChatService(
      async (...http) => {
        asked.resolve()
        await gate.promise
        await responder(...http)
      },
      { retries: 5 },
    )

    await leaveOnce(asked.promise, kopeck)
    gate.resolve()

    await kopeck.service.stop(20_000)
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
    expect(await kopeck.balance()).toBe(CREDIT)
    expect(upstream.requestCount()).toBe(1)
  },
)

test('the body of a plain request that its client left counts until its answer is there', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(
    async (...http) => {
      asked.resolve()
      await gate.promise
      await sends(delta('слово'), finish(), USAGE, DONE)(...http)
    },
    { context_tokens: 100_000_000, prompt_rub_per_1m: '1' },
  )
  const large = 'x'.repeat(25 * 1024 * 1024)
  const status = async () => (await kopeck.chat(large)).status

  await leaveOnce(asked.promise, kopeck, {
    ...CHAT,
    messages: [{ role: 'user', content: large }],
  })
  const whileAwaited = await status()
  gate.resolve()

  expect(whileAwaited).toBe(429)
  await expect.poll(status).toBe(422)
})

test('stop() charges the prompt of an answer whose client has left', async () => {
  const asked = Promise.withResolvers<void>()
  const { kopeck, upstream } = await startChatService(() => asked.resolve())

  await leaveOnce(asked.promise, kopeck)
  await kopeck.service.stop(0)

  await upstream.clientLeft
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${countedCost('')}` })
})

test('a plain request that is left before the first token of a provider that only streams pays what its answer costs', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(
    async (...http) => {
      asked.resolve()
      await gate.promise
      await sends(delta('слово'), finish(), USAGE, DONE)(...http)
    },
    { onlyStreams: true },
  )

  await leaveOnce(asked.promise, kopeck)
  gate.resolve()

  await kopeck.service.stop(20_000)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: '4800' })
})

test('a plain request that gets no answer within 120 s after its client left costs the prompt', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const begun = Promise.withResolvers<void>()
  const { kopeck, upstream } = await startChatService(begins(begun), { onlyStreams: true })

  await leaveOnce(begun.promise, kopeck)
  await vi.advanceTimersByTimeAsync(LEFT_MS_MAX)

  await upstream.clientLeft
  const cost = countedCost('')
  await expect.poll(() => theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${cost}` })
})

test('a plain request that the service breaks off costs nothing, however much had come', async () => {
  const begun = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(begins(begun), { onlyStreams: true })

  const answer = kopeck.chat(CHAT)
  await begun.promise
  await kopeck.service.stop(0)

  expect((await answer).status).toBe(503)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
})

test('stop() lets a stream run to its end, and refuses what comes', async () => {
  const gate = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await gate.promise
    response.end(`${finish()}${USAGE}${DONE}`)
  })

  const reader = readText(await kopeck.chat(BODY))
  await reader.next()
  const stopped = kopeck.service.stop(20_000)
  const refused = await kopeck.chat(BODY)
  gate.resolve()
  const rest = await reader.rest()
  await stopped

  expect(refused.status).toBe(503)
  expect(rest).toContain('data: [DONE]')
})

test('stop() breaks off a stream that lasts too long: error event, estimate kept', async () => {
  const { kopeck } = await startChatService(sendsAndHangs(delta('first')))

  const reader = readText(await kopeck.chat(BODY))
  await reader.next()
  await kopeck.service.stop(0)

  expect(await reader.rest()).toBe('data: {"error":{"message":"The service is stopping."}}\n\n')
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'captured' })
})

test('stop() breaks off a request that waits for its first token: 503, estimate back', async () => {
  const asked = Promise.withResolvers<void>()
  const { kopeck } = await startChatService(() => asked.resolve())

  const answer = kopeck.chat(BODY)
  await asked.promise
  await kopeck.service.stop(0)

  expect((await answer).status).toBe(503)
  expect(await kopeck.balance()).toBe(CREDIT)
})

function countedCost(content: string): number {
  const promptTokens = estimatePromptTokens([{ role: 'user', content: 'Привет' }])
  return promptTokens * 150 + estimateTokens(content) * 600
}

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

function begins(begun: PromiseWithResolvers<void>): Responder {
  return async (...http) => {
    await sendsAndHangs(delta('слово'))(...http)
    begun.resolve()
  }
}

// Promise: The service stops while requests share a batch
test('stop() waits for the requests whose money is just moving: each is answered, and its hold has ended', async () => {
  const { kopeck } = await startChatService(sends(delta('a'), finish(), USAGE, DONE))
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
