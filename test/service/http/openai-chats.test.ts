import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { startTestService, type TestService } from '../service-fixture.ts'
import { announceBody } from './raw-request.ts'

const USER = { role: 'user', content: 'hi' }
const CHAT = { model: 'alpha-large', messages: [USER], max_tokens: 100 }
const PATH = '/chat/completions'
const JSON_TYPE = { 'content-type': 'application/json' }

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService()
})
afterAll(() => kopeck[Symbol.asyncDispose]())

async function post(body: unknown, headers: Record<string, string> = JSON_TYPE) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await kopeck.call(PATH, { method: 'POST', headers, body: text })
  return { status: response.status, ...((await response.json()) as { error?: object }) }
}

function withMessage(message: object) {
  return { ...CHAT, messages: [USER, message] }
}

test.each<{ what: string; body: unknown; is: [param: string | null, code: string | null, string] }>(
  [
    { what: 'no JSON', body: '{', is: [null, null, 'body: must be JSON'] },
    {
      what: 'a wish of several answers',
      body: { ...CHAT, n: 2 },
      is: ['n', 'unsupported_parameter', 'n: is not supported: leave it out'],
    },
    {
      what: 'a wish of functions',
      body: { ...CHAT, functions: [{ name: 'weather' }] },
      is: ['functions', 'unsupported_parameter', 'functions: is not supported: leave it out'],
    },
    {
      what: 'no model',
      body: { messages: [USER] },
      is: ['model', 'missing_required_parameter', 'model: is required'],
    },
    {
      what: 'a parameter of another house',
      body: { ...CHAT, top_k: 5 },
      is: ['top_k', 'unknown_parameter', 'is not known here'],
    },
    {
      what: 'a picture',
      body: withMessage({ role: 'user', content: [{ type: 'image_url', image_url: {} }] }),
      is: ['messages[1].content[0].type', 'unsupported_value', 'must be "text": nothing else'],
    },
    {
      what: 'a role that nobody has',
      body: withMessage({ role: 'critic', content: 'x' }),
      is: [
        'messages[1].role',
        'unsupported_value',
        'must be "system" or "developer" or "user" or "assistant" or "tool"',
      ],
    },
    {
      what: 'a tool without a name',
      body: { ...CHAT, tools: [{ type: 'function', function: { name: 'a tool' } }] },
      is: ['tools[0].function.name', 'invalid_value', ''],
    },
    {
      what: 'no content of a question',
      body: withMessage({ role: 'user', content: null }),
      is: ['messages[1].content', 'invalid_type', 'must be a string'],
    },
    {
      what: 'max_tokens as text',
      body: { ...CHAT, max_tokens: '9' },
      is: ['max_tokens', 'invalid_type', 'must be an integer'],
    },
    {
      what: 'far too much text',
      body: withMessage({ role: 'user', content: 'a'.repeat(8_000_000) }),
      is: ['messages', 'context_length_exceeded', 'must fit the context of the model'],
    },
  ],
)('$what is 400 with its field', async ({ body, is: [param, code, message] }) => {
  expect(await post(body)).toEqual({
    status: 400,
    error: {
      message: expect.stringContaining(message),
      type: 'invalid_request_error',
      param,
      code,
    },
  })
})

test('what asks for nothing, and null, is as omitted', async () => {
  const { status } = await post({
    ...CHAT,
    messages: [{ ...USER, name: null }, { role: 'assistant', content: 'x', refusal: null }, USER],
    max_tokens: null,
    max_completion_tokens: 5,
    stream: null,
    stream_options: null,
    n: 1,
    tools: [],
    tool_choice: 'none',
    parallel_tool_calls: true,
    functions: null,
    response_format: { type: 'text' },
    modalities: ['text'],
    audio: null,
    logprobs: false,
    top_logprobs: 0,
    logit_bias: {},
    store: true,
    service_tier: 'flex',
    top_k: null,
    user: 'u1',
    safety_identifier: 'u1',
    metadata: { run: '1' },
    prompt_cache_key: 'k',
    temperature: null,
    stop: [],
    verbosity: '',
  })

  expect(status).toBe(200)
})

test('a history that another house answered, or did not, is taken', async () => {
  const messages = [
    { role: 'system', content: '' },
    { ...USER, content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
    { role: 'assistant', content: 'x', reasoning_content: 'y', annotations: [{}], id: 'm1' },
    { ...USER, content: [{ type: 'text', text: '' }] },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'assistant' },
    { ...USER, name: 'Анна', timestamp: 1 },
  ]
  const { status, error } = await post({
    ...CHAT,
    messages,
    stream_options: { include_usage: true, include_obfuscation: true },
  })

  expect({ status, error }).toEqual({ status: 200 })
})

test.each([
  ['POST', '/responses'],
  ['GET', '/models/meta/llama'],
])('an unknown path is 404, also in the shape of OpenAI: %s %s', async (method, path) => {
  const response = await kopeck.call(path, { method })

  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 404,
    body: {
      detail: 'There is no such path.',
      error: {
        message: 'There is no such path: chats are POST /chat/completions, and models GET /models.',
        type: 'invalid_request_error',
        param: null,
        code: 'unknown_url',
      },
    },
  })
})

test('who speaks is counted in the estimate', async () => {
  const messages = Array.from({ length: 1000 }, () => ({ ...USER, name: 'a'.repeat(64) }))
  const named = { model: 'alpha-large', messages, max_tokens: 1 }
  const nameless = { ...named, messages: messages.map(() => USER) }

  await post(nameless)
  await post(named)

  const { rows } = await kopeck.pool.query<{ amount: string }>(
    'SELECT held_micro_rub AS amount FROM service.request ORDER BY created_at DESC LIMIT 2',
  )
  const [withNames, without] = rows.map(({ amount }) => Number(amount))
  // 64 letters are 11.52 tokens of 150 micro-roubles, held for with a quarter more.
  expect((withNames ?? 0) - (without ?? 0)).toBeCloseTo(1000 * 11.52 * 1.25 * 150, -3)
})

test('refusals that come before the body is read have the shape, too', async () => {
  const { origin, apiKey } = kopeck
  const refusal = { message: expect.any(String), type: 'invalid_request_error', param: null }

  expect(await post('<a/>', { 'content-type': 'text/xml' })).toEqual({
    status: 415,
    error: { ...refusal, code: null },
  })
  expect(await post(CHAT, { ...JSON_TYPE, authorization: '' })).toEqual({
    status: 401,
    error: { ...refusal, code: 'invalid_api_key' },
  })
  const bytes = 32 * 1024 * 1024 + 1
  expect(await announceBody(origin, { path: PATH, apiKey, bytes })).toEqual({
    status: 413,
    body: { error: { ...refusal, code: null } },
  })
})

test('a model that is not for the key is like one that is not there', async () => {
  const key = await createApiKey(kopeck.pool, kopeck.accountId, { models: ['alpha-small'] })
  const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` }
  const listed = await kopeck.call('/models', { headers })
  const found = await Promise.all(
    ['alpha-small', 'alpha-large', 'x'].map((id) => kopeck.call(`/models/${id}`, { headers })),
  )

  const [foreign, none] = await Promise.all([
    post(CHAT, headers),
    post({ ...CHAT, model: 'x' }, headers),
  ])

  expect(await listed.json()).toMatchObject({ data: [{ id: 'alpha-small' }] })
  expect(found.map(({ status }) => status)).toEqual([200, 404, 404])
  expect(foreign).toEqual({
    status: 404,
    error: {
      message: 'model: is not one of GET /models',
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    },
  })
  expect(none).toEqual(foreign)
})
