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
import { sendJson } from '../../platform/http/local-server.ts'
import { REQUEST, start } from './client-setup.ts'

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

test('createTask() never repeats a request that was sent and not answered', async () => {
  const { client, server } = await start((_response, { socket }) => {
    socket.resetAndDestroy()
  })

  await expect(client.createTask({ kind: 'video', request: { prompt: 'кот' } })).rejects.toThrow(
    OutcomeUnknownError,
  )

  expect(server.requests).toHaveLength(1)
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
