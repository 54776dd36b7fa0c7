import { expect, test, vi } from 'vitest'
import {
  InsufficientBalanceError,
  InvalidRequestError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
  TaskNotFoundError,
  UnauthorizedError,
} from '../../../src/contract/client/errors.ts'
import { beginStream, sendJson, startServer } from '../../platform/http/local-server.ts'
import { connect, REQUEST, start } from './client-setup.ts'
import { RECORDED_EVENTS, RECORDED_FINISH, toWire } from './recorded-stream.ts'

test.each([
  [401, UnauthorizedError, 1],
  [402, InsufficientBalanceError, 1],
  [422, InvalidRequestError, 1],
  [429, RateLimitedError, 3],
  [502, ProviderRejectedError, 1],
  [503, ServiceUnavailableError, 3],
])(
  'streamChat() answered %i throws the right error after the right number of attempts',
  async (status, expected, attempts) => {
    const { client, server } = await start((response) =>
      sendJson(response, status, { detail: 'no' }),
    )

    const error = await Array.fromAsync(client.streamChat(REQUEST)).catch((reason) => reason)

    expect(error).toBeInstanceOf(expected)
    expect(error).toMatchObject({ status, detail: 'no' })
    expect(server.requests).toHaveLength(attempts)
  },
)

test('streamChat() waits as long as the service asks and then goes on', async () => {
  const sleep = vi.fn(async () => {})
  let refusals = 2
  const { client } = await start(
    (response) => {
      if (refusals-- > 0) sendJson(response, 429, { detail: 'slow down' }, { 'retry-after': '4' })
      else beginStream(response).end(toWire(RECORDED_EVENTS))
    },
    { clock: { sleep } },
  )

  const events = await Array.fromAsync(client.streamChat(REQUEST))

  expect(events.at(-1)).toEqual(RECORDED_FINISH)
  expect(sleep.mock.calls).toEqual([
    [4000, undefined],
    [4000, undefined],
  ])
})

test('streamChat() does not wait when the service asks for too long', async () => {
  const sleep = vi.fn(async () => {})
  const { client, server } = await start(
    (response) => sendJson(response, 429, { detail: 'slow down' }, { 'retry-after': '60' }),
    { clock: { sleep } },
  )

  const error = await Array.fromAsync(client.streamChat(REQUEST)).catch((reason) => reason)

  expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 })
  expect(sleep).not.toHaveBeenCalled()
  expect(server.requests).toHaveLength(1)
})

test.each([
  [429, RateLimitedError, 1],
  [503, ServiceUnavailableError, 3],
])(
  'streamChat() for a caller with a line of its own repeats no 429: after %i',
  async (status, expected, attempts) => {
    const { client, server } = await start((response) =>
      sendJson(response, status, { detail: 'no' }, { 'retry-after': '1' }),
    )

    const events = client.streamChat(REQUEST, { retryRateLimited: false })
    const error = await Array.fromAsync(events).catch((reason) => reason)

    expect(error).toBeInstanceOf(expected)
    expect(error).toMatchObject({ status, retryAfterMs: 1000 })
    expect(server.requests).toHaveLength(attempts)
  },
)

test('streamChat() repeats no request for a model that is not set up right', async () => {
  const { client, server } = await start((response) =>
    sendJson(response, 503, { detail: 'no', code: 'model_misconfigured' }, { 'retry-after': '1' }),
  )

  const error = await Array.fromAsync(client.streamChat(REQUEST)).catch((reason) => reason)

  expect(error).toMatchObject({ code: 'model_misconfigured', status: 503, detail: 'no' })
  expect(server.requests).toHaveLength(1)
})

test('a wait between attempts ends with the signal', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const server = await startServer((response) => {
    sendJson(response, 503, { detail: 'away' }, { 'retry-after': '9' })
    // With the answer out, the client is in its wait or about to be.
    response.once('close', () => controller.abort(reason))
  })
  const client = connect(server.baseUrl)

  await expect(client.balance({ signal: controller.signal })).rejects.toBe(reason)

  expect(server.requests).toHaveLength(1)
})

test('createTask() passes on where to call back, and callbackSecret() reads by what it is known', async () => {
  const { client, server } = await start((response, { method }) =>
    sendJson(response, 200, method === 'GET' ? { secret: 'abc' } : { task_id: 42 }),
  )
  const callbackUrl = 'https://bot.example.org/callbacks/7'

  await client.createTask({ kind: 'image', request: { prompt: 'a fox' } }, { callbackUrl })
  const secret = await client.callbackSecret()

  expect(secret).toBe('abc')
  expect(server.requests.map(({ path, headers }) => [path, headers['x-callback-url']])).toEqual([
    ['/api/v1/images/imagegen-generate', callbackUrl],
    ['/api/v1/callback/secret', undefined],
  ])
})

test('createTask() resolves with the task and passes the idempotency key on', async () => {
  const { client, server } = await start((response) => sendJson(response, 200, { task_id: 41 }))
  const request = { prompt: 'кот', aspect_ratio: '1280:720', duration: 10 } as const

  const created = await client.createTask({ kind: 'video', request }, { idempotencyKey: 'order-7' })
  await client.createTask({ kind: 'video', request })

  expect(created).toEqual({ taskId: 41 })
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/videos/vidgen-generate',
      body: JSON.stringify(request),
      headers: { 'idempotency-key': 'order-7' },
    },
    {},
  ])
  expect(server.requests[1]?.headers).not.toHaveProperty('idempotency-key')
})

test.each([
  ['image', '/api/v1/images/imagegen-generate'],
  ['sound', '/api/v1/sounds/soundgen-generate'],
] as const)('createTask() of a %s goes to %s', async (kind, path) => {
  const { client, server } = await start((response) => sendJson(response, 200, { task_id: 1 }))

  await client.createTask({ kind, request: { prompt: 'кот' } })

  expect(server.requests).toMatchObject([{ method: 'POST', path }])
})

test.each([
  [429, RateLimitedError],
  [503, ServiceUnavailableError],
])(
  'createTask() answered %i throws at once: each request counts, and its caller has a queue',
  async (status, expected) => {
    const { client, server } = await start((response) =>
      sendJson(response, status, { detail: 'later' }, { 'retry-after': '1' }),
    )

    const error = await client
      .createTask({ kind: 'video', request: { prompt: 'кот' } })
      .catch((reason) => reason)

    expect(error).toBeInstanceOf(expected)
    expect(server.requests).toHaveLength(1)
  },
)

test('createTask() lists the refused fields', async () => {
  const detail = [{ loc: ['body', 'aspect_ratio'], msg: 'required without image_url' }]
  const { client } = await start((response) => sendJson(response, 422, { detail }))

  const error = await client
    .createTask({ kind: 'video', request: { prompt: 'кот' } })
    .catch((reason) => reason)

  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error.detail).toBe('body.aspect_ratio: required without image_url')
})

test('createTask() never repeats a request that was sent and not answered', async () => {
  const { client, server } = await start((_response, { socket }) => {
    socket.resetAndDestroy()
  })

  await expect(client.createTask({ kind: 'video', request: { prompt: 'кот' } })).rejects.toThrow(
    OutcomeUnknownError,
  )

  expect(server.requests).toHaveLength(1)
})

test('task() resolves with the state', async () => {
  const { client, server } = await start((response) =>
    sendJson(response, 200, { status: 'success', result_urls: ['http://a/1'], error: null }),
  )

  const state = await client.task(41)

  expect(state).toEqual({ status: 'success', resultUrls: ['http://a/1'] })
  expect(server.requests).toMatchObject([{ method: 'GET', path: '/api/v1/task/41', body: '' }])
})

test('task() knows a task that is not there', async () => {
  const { client } = await start((response) => sendJson(response, 404, { detail: 'no such task' }))

  const error = await client.task(41).catch((reason) => reason)

  expect(error).toBeInstanceOf(TaskNotFoundError)
  expect(error).toMatchObject({ status: 404, detail: 'no such task' })
})

test.each([
  [429, RateLimitedError],
  [503, ServiceUnavailableError],
])(
  'task() answered %i throws at once, so that its poller can slow down',
  async (status, expected) => {
    const sleep = vi.fn(async () => {})
    const { client, server } = await start(
      (response) => sendJson(response, status, { detail: 'later' }, { 'retry-after': '3' }),
      { clock: { sleep } },
    )

    const error = await client.task(41).catch((reason) => reason)

    expect(error).toBeInstanceOf(expected)
    expect(error).toMatchObject({ retryAfterMs: 3000 })
    expect(sleep).not.toHaveBeenCalled()
    expect(server.requests).toHaveLength(1)
  },
)

test('models() resolves with the chat models', async () => {
  const { client, server } = await start((response) =>
    sendJson(response, 200, { models: [{ id: 'alpha-large', prompt_rub_per_1m: 150 }] }),
  )

  expect(await client.models()).toEqual([{ id: 'alpha-large', promptMicroRubPer1m: 150_000_000n }])
  expect(server.requests[0]?.path).toBe('/api/v1/chats/models')
})

test('prices() resolves with what the service answers', async () => {
  const { client, server } = await start((response) =>
    sendJson(response, 200, { prices_rub: { imagegen: 5 } }),
  )

  expect(await client.prices()).toEqual(new Map([['imagegen', 5_000_000n]]))
  expect(server.requests[0]?.path).toBe('/api/v1/prices')
})

test.each([
  [404, { detail: 'There is no such path.' }],
  [405, {}],
  [200, { welcome: 'to our API' }],
])('prices() resolves with nothing where the service answers %i %j', async (status, body) => {
  const { client } = await start((response) => sendJson(response, status, body))

  expect(await client.prices()).toBeUndefined()
})

test('prices() throws where the service cannot answer just now', async () => {
  const { client } = await start((response) => sendJson(response, 401, { detail: 'Who?' }))

  await expect(client.prices()).rejects.toThrow(UnauthorizedError)
})

test.each([
  [{ 'accept-idempotency-key': 'creation' }, true],
  [{}, false],
])(
  'balance() with the headers %j finds whether idempotency keys are honoured',
  async (headers, honours) => {
    const { client } = await start((response) =>
      sendJson(response, 200, { balance_rub: 12.34 }, headers as Record<string, string>),
    )

    expect(await client.balance()).toEqual({
      balanceMicroRub: 12_340_000n,
      honoursIdempotencyKey: honours,
    })
  },
)

test('a client takes a base URL with a slash at its end', async () => {
  const { server } = await start((response) => sendJson(response, 200, { balance_rub: 1 }))

  await connect(`${server.baseUrl}/`).balance()

  expect(server.requests[0]?.path).toBe('/api/v1/balance')
})

test('polls use connections again, creations never do', async () => {
  const { client, server } = await start((response, { method }) =>
    sendJson(response, 200, method === 'POST' ? { task_id: 1 } : { status: 'waiting' }),
  )

  for (let count = 0; count < 20; count++) await client.task(1)
  const forPolls = server.connections()
  for (let count = 0; count < 5; count++) {
    await client.createTask({ kind: 'video', request: { prompt: 'кот' } })
  }

  expect(forPolls).toBeLessThan(5)
  expect(server.connections() - forPolls).toBe(5)
})
