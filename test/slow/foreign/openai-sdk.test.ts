import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { CREDIT, startChatService } from '../../service/chat/chat-fixture.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  sendsAndResets,
  usage,
} from '../../service/providers/openai-server.ts'
import { theHold } from '../../service/service-fixture.ts'

const WHOLE = sends(delta('При'), delta('вет'), finish(), usage(12, 5), DONE)
const CHAT = {
  model: 'alpha',
  messages: [{ role: 'user', content: 'Привет' } as const],
  max_tokens: 100,
}
const USAGE = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }

async function start(responders: Responder | Responder[] = WHOLE, maxRetries = 0) {
  const { kopeck, upstream } = await startChatService(responders)
  const baseURL = `${kopeck.origin}/api/v1`
  const client = new OpenAI({ baseURL, apiKey: kopeck.apiKey, maxRetries })
  return { kopeck, upstream, client, baseURL }
}

test('openai: a plain answer has its text, usage and cost, and the account has paid it', async () => {
  const { client, kopeck } = await start()

  const answer = await client.chat.completions.create(CHAT)

  const { request_id: id } = await theHold(kopeck.pool)
  const created = expect.any(Number)
  expect(answer).toEqual({
    id,
    object: 'chat.completion',
    created,
    model: 'alpha',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Привет', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
    cost_rub: 0.0048,
  })
  expect(Math.abs(answer.created - Date.now() / 1000)).toBeLessThan(60)
  expect(await kopeck.balance()).toBe(CREDIT - 4800n)
})

test('openai: a stream begins with the role and ends with usage and cost', async () => {
  const { client, kopeck } = await start()
  const stream_options = { include_usage: true }

  const stream = await client.chat.completions.create({ ...CHAT, stream: true, stream_options })
  const chunks = await Array.fromAsync(stream)

  expect(chunks.map(({ choices, usage: reported }) => [choices[0]?.delta, reported])).toEqual([
    [{ role: 'assistant', content: 'При' }, null],
    [{ content: 'вет' }, null],
    [{}, null],
    [undefined, USAGE],
  ])
  expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
    ...[null, null, 'stop'],
    undefined,
  ])
  expect(chunks.at(-1)).toMatchObject({ choices: [], cost_rub: 0.0048 })
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: '4800' })
})

test('openai: .stream() puts the answer together, and its message can be sent back', async () => {
  const { client, kopeck } = await start()
  const texts: string[] = []

  const stream = client.chat.completions.stream(CHAT)
  stream.on('content', (text) => texts.push(text))
  const first = await stream.finalChatCompletion()
  const message = first.choices[0]?.message
  const messages = [...CHAT.messages, ...(message ? [message] : []), ...CHAT.messages]
  const second = await client.chat.completions.create({ ...CHAT, messages })

  expect(texts).toEqual(['При', 'вет'])
  expect(message).toMatchObject({ role: 'assistant', content: 'Привет' })
  expect(second.choices[0]?.message.content).toBe('Привет')
  expect(await kopeck.balance()).toBe(CREDIT - 2n * 4800n)
})

test('openai: models are listed and found', async () => {
  const { client } = await start()

  const models = await Array.fromAsync(client.models.list())
  const model = await client.models.retrieve('alpha')

  expect(models).toEqual([{ id: 'alpha', object: 'model', created: 0, owned_by: 'A' }])
  expect(model).toEqual(models[0])
  await expectError(client.models.retrieve('beta'), OpenAI.NotFoundError, {
    status: 404,
    code: 'model_not_found',
    param: 'model',
  })
})

test('openai: a wrong key is an AuthenticationError wherever it comes', async () => {
  const { baseURL } = await start()
  const client = new OpenAI({ baseURL, apiKey: 'kopeck_wrong', maxRetries: 0 })
  const error = { status: 401, code: 'invalid_api_key', param: null }

  await expectError(client.chat.completions.create(CHAT), OpenAI.AuthenticationError, error)
  await expectError(
    client.chat.completions.create({ ...CHAT, stream: true }),
    OpenAI.AuthenticationError,
    error,
  )
  await expectError(client.models.list(), OpenAI.AuthenticationError, error)
  await expectError(client.models.retrieve('alpha'), OpenAI.AuthenticationError, error)
})

test('openai: a balance that does not reach is 402 and not tried again', async () => {
  const { kopeck, baseURL } = await start()
  const { id } = await createAccount(kopeck.pool, { name: 'poor', creditMicroRub: 1n })
  const client = new OpenAI({ baseURL, apiKey: await createApiKey(kopeck.pool, id) })
  let requests = 0
  const counted = client.withOptions({
    fetch: (...request) => {
      requests += 1
      return fetch(...request)
    },
  })

  await expectError(counted.chat.completions.create(CHAT), OpenAI.APIError, {
    status: 402,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: expect.stringMatching(/^402 Insufficient balance: [\d.]+ RUB needed/),
  })
  expect(requests).toBe(1)
})

test('openai: the 31st chat in a minute is a RateLimitError, whichever way the others came', async () => {
  const { client, kopeck } = await start()

  for (let count = 0; count < 15; count += 1) await (await kopeck.chat(CHAT)).text()
  for (let count = 0; count < 15; count += 1) await client.chat.completions.create(CHAT)
  const error = await client.chat.completions.create(CHAT).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(OpenAI.RateLimitError)
  expect(error).toMatchObject({ status: 429, type: 'requests', code: 'rate_limit_exceeded' })
  const { headers } = error as InstanceType<typeof OpenAI.RateLimitError>
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await kopeck.chat(CHAT)).status).toBe(429)
})

test('openai: a stream that breaks throws what the service says, and its estimate stays charged', async () => {
  const { client, kopeck } = await start(sendsAndResets(delta('half of')))
  const texts: unknown[] = []

  const stream = await client.chat.completions.create({ ...CHAT, stream: true })
  const reading = (async () => {
    for await (const { choices } of stream) texts.push(choices[0]?.delta.content)
  })()

  await expectError(reading, OpenAI.APIError, {
    type: 'server_error',
    message: 'The model broke off its answer.',
  })
  expect(texts).toEqual(['half of'])
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'captured' })
})

test('openai: messages, limit and parameters come to the upstream in the words that all of them know', async () => {
  const asked = Promise.withResolvers<unknown>()
  const { client } = await start(async (response, request) => {
    asked.resolve(request.body)
    await WHOLE(response, request)
  })
  onTestFinished(() => asked.resolve(undefined))

  await client.chat.completions.create({
    model: 'alpha',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'assistant', content: 'Hello!', refusal: null },
      {
        role: 'user',
        name: 'ann',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
    ],
    max_completion_tokens: 50,
    n: 1,
    user: 'u1',
    tools: [],
    response_format: { type: 'text' },
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ['END'],
    presence_penalty: null,
    max_tokens: 50,
    reasoning_effort: '' as 'low',
  })

  expect(await asked.promise).toEqual({
    model: 'upstream',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'One.\nTwo.', name: 'ann' },
    ],
    max_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ['END'],
    stream: false,
  })
})

async function expectError(
  asking: Promise<unknown>,
  type: new (...values: never[]) => Error,
  facts: object,
): Promise<void> {
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(type)
  expect(error).toMatchObject(facts)
}
