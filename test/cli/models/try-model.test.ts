import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { tryModel } from '../../../src/cli/models/try-model.ts'
import type { OfferedModel } from '../../../src/service/config/openai/offer-models.ts'

const NEVER = new AbortController().signal

const REFUSALS = [
  "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
  'Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.',
]

test('a model is asked for one token, and its price is that of the usage', async () => {
  const upstream = await serve([{ usage: { prompt_tokens: 8, completion_tokens: 1 } }])

  const trial = await tryModel(toModel(upstream.baseUrl), { apiKey: 'sk-one' }, NEVER)

  expect(trial).toMatchObject({ answers: true, isEstimated: false, costMicroRub: 1_000n })
  expect(upstream.limits()).toEqual([1])
})

test.each(REFUSALS)(
  'a model that refuses so short an answer is given more: %s',
  async (message) => {
    const refusal = { status: 400, body: { error: { message, type: 'invalid_request_error' } } }
    const upstream = await serve([refusal, { usage: { prompt_tokens: 8, completion_tokens: 60 } }])

    const trial = await tryModel(toModel(upstream.baseUrl), { apiKey: 'sk-one' }, NEVER)

    expect(trial).toMatchObject({ answers: true, costMicroRub: 12_800n })
    expect(upstream.limits()).toEqual([1, 1024])
  },
)

test.each([
  ['none', undefined],
  ['one that cannot be true', { prompt_tokens: -3, completion_tokens: 1 }],
])('with %s as its usage the tokens are counted here', async (_, usage) => {
  const upstream = await serve([{ usage }])

  const trial = await tryModel(toModel(upstream.baseUrl), { apiKey: 'sk-one' }, NEVER)

  expect(trial).toMatchObject({ answers: true, isEstimated: true, usage: { completionTokens: 1 } })
})

test('an upstream that does not answer says why, is asked once, and its words have no key in them', async () => {
  const body = { error: { message: 'No money on sk-one', code: 'insufficient_quota' } }
  const upstream = await serve([{ status: 402, body }])

  const trial = await tryModel(toModel(upstream.baseUrl), { apiKey: 'sk-one' }, NEVER)

  expect(trial).toEqual({
    answers: false,
    said: '402 insufficient_quota: No money on [hidden]',
  })
  expect(upstream.limits()).toEqual([1])
})

function toModel(base_url: string): OfferedModel {
  return {
    config: {
      id: 'one',
      family: 'A',
      context_tokens: 4096,
      prompt_rub_per_1m: '100',
      completion_rub_per_1m: '200',
      provider: { type: 'openai', base_url, api_key_env: 'OPENAI_API_KEY', model: 'one' },
    },
    priceFrom: 'list',
    contextFrom: 'list',
    usd: { prompt: 0n, completion: 0n },
    pricedAt: undefined,
  }
}

async function serve(
  answers: { status?: number; body?: object; usage?: object | undefined }[],
  { onAsked = () => {} } = {},
) {
  const limits: unknown[] = []
  const left = [...answers]
  const server = createServer(async (incoming, response) => {
    const { max_tokens } = (await json(incoming)) as { max_tokens: unknown }
    limits.push(max_tokens)
    onAsked()
    const answer = left.shift()
    if (answer === undefined) return
    if (answer.body !== undefined) {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'length' }]
    response.write(`data: ${JSON.stringify({ choices })}\n\n`)
    if (answer.usage) response.write(`data: ${JSON.stringify({ choices: [], ...answer })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, limits: () => limits }
}
