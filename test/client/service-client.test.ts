import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CompletionEvent } from '../../src/client/completion-stream.ts'
import {
  InsufficientBalanceError,
  InvalidRequestError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
  StreamBrokenError,
  TaskNotFoundError,
  UnauthorizedError,
} from '../../src/client/errors.ts'
import {
  type CompletionRequest,
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from '../../src/client/service-client.ts'
import { beginStream, type ReceivedRequest, sendJson, startServer } from './local-server.ts'
import {
  chunk,
  RECORDED_EVENTS,
  RECORDED_FINISH,
  RECORDED_TEXT,
  toWire,
} from './recorded-stream.ts'

const REQUEST: CompletionRequest = {
  model: 'alpha-large',
  messages: [{ role: 'user', content: 'Привет' }],
  maxTokens: 100,
}
const PLAIN_ANSWER = {
  request_id: 'req_1',
  model: 'alpha-large',
  content: 'Привет',
  finish_reason: 'stop',
  usage: { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 },
  cost_rub: 0.0222,
  cost_coins: 0.0222,
}

test('streamChat() yields the deltas, then one finish with usage and cost', async () => {
  const { client, server } = await start((response) => {
    beginStream(response).end(toWire(RECORDED_EVENTS))
  })

  const events = await Array.fromAsync(client.streamChat(REQUEST))

  expect(toText(events)).toBe(RECORDED_TEXT)
  expect(events.at(-1)).toEqual(RECORDED_FINISH)
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    model: 'alpha-large',
    messages: [{ role: 'user', content: 'Привет' }],
    max_tokens: 100,
    stream: true,
  })
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/api/v1/chats/completions' })
})

test('streamChat() yields each delta as it comes', async () => {
  const stream = Promise.withResolvers<ServerResponse>()
  const { client } = await start((response) => {
    beginStream(response).write(toWire(RECORDED_EVENTS.slice(0, 1)))
    stream.resolve(response)
  })

  const events = client.streamChat(REQUEST)
  const first = await events.next()
  const response = await stream.promise
  response.end(toWire(RECORDED_EVENTS.slice(1)))
  const rest = await Array.fromAsync(events)

  expect(first.value).toEqual({ type: 'delta', text: 'Привет' })
  expect(rest.at(-1)).toEqual(RECORDED_FINISH)
})

test('streamChat() sends nothing before it is read', async () => {
  const { client, server } = await start((response) => {
    beginStream(response).end(toWire(RECORDED_EVENTS))
  })

  await client.streamChat(REQUEST).return()

  expect(server.connections()).toBe(0)
})

test('streamChat() uses the connection of a whole stream again', async () => {
  const { client, server } = await start((response) => {
    beginStream(response).end(toWire(RECORDED_EVENTS))
  })

  for (let turn = 0; turn < 5; turn++) {
    const events = await Array.fromAsync(client.streamChat(REQUEST))
    expect(events.at(-1)).toEqual(RECORDED_FINISH)
  }

  expect(server.requests).toHaveLength(5)
  expect(server.connections()).toBeLessThan(5)
})

test('streamChat() finishes although the service keeps the connection open after [DONE]', async () => {
  const { client } = await start((response) => {
    beginStream(response).write(toWire(RECORDED_EVENTS))
  })

  const events = await Array.fromAsync(client.streamChat(REQUEST))

  expect(events.at(-1)).toEqual(RECORDED_FINISH)
})

test('streamChat() leaves the end of a whole stream to the service', async () => {
  const stream = Promise.withResolvers<ServerResponse>()
  const isEnded = Promise.withResolvers<boolean>()
  const { client } = await start((response, { method }) => {
    if (method === 'GET') return sendJson(response, 200, { balance_rub: 1 })
    response.once('close', () => isEnded.resolve(response.writableFinished))
    beginStream(response).write(toWire(RECORDED_EVENTS))
    stream.resolve(response)
  })

  await Array.fromAsync(client.streamChat(REQUEST))
  // By the time this is answered, a closed connection would have been seen.
  await client.balance()
  const response = await stream.promise
  response.end()

  expect(await isEnded.promise).toBe(true)
})

test('streamChat() closes the connection when its loop is left early', async () => {
  const closed = Promise.withResolvers<void>()
  const { client } = await start((response) => {
    response.once('close', () => closed.resolve())
    beginStream(response).write(toWire(RECORDED_EVENTS.slice(0, 2)))
  })

  for await (const event of client.streamChat(REQUEST)) {
    expect(event.type).toBe('delta')
    break
  }

  await closed.promise
})

test('streamChat() closes the connection and throws the reason when its signal aborts', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped by its reader')
  const closed = Promise.withResolvers<void>()
  const { client } = await start((response) => {
    response.once('close', () => closed.resolve())
    beginStream(response).write(toWire(RECORDED_EVENTS.slice(0, 1)))
  })

  const events = client.streamChat(REQUEST, { signal: controller.signal })
  await events.next()
  const next = events.next()
  controller.abort(reason)

  await expect(next).rejects.toBe(reason)
  await closed.promise
})

test('streamChat() yields no more deltas once its signal has aborted', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const { client } = await start((response) => {
    beginStream(response).end(toWire(RECORDED_EVENTS))
  })

  const events = client.streamChat(REQUEST, { signal: controller.signal })
  await events.next()
  controller.abort(reason)

  await expect(events.next()).rejects.toBe(reason)
})

test('streamChat() is broken, with the text so far, when the connection is reset', async () => {
  const read = Promise.withResolvers<void>()
  const { client } = await start(async (response, { socket }) => {
    beginStream(response).write(toWire(RECORDED_EVENTS.slice(0, 2)))
    await read.promise
    socket.resetAndDestroy()
  })

  const error = await brokenAfter(client, { onDelta: (seen) => seen === 2 && read.resolve() })

  expect(error.text).toBe('Привет, 世界 ')
})

test('streamChat() is broken when the service falls silent', async () => {
  const { client } = await start(
    (response) => {
      beginStream(response).write(toWire(RECORDED_EVENTS.slice(0, 2)))
    },
    { timeouts: { silenceMs: 100 } },
  )

  const error = await brokenAfter(client)

  expect(error.text).toBe('Привет, 世界 ')
})

test('streamChat() is broken when the stream ends early, and after an error event', async () => {
  const { client } = await start((response, { body }) => {
    const events = RECORDED_EVENTS.slice(0, 1)
    if (body.includes('beta')) events.push('{"error":{"message":"provider went away"}}')
    beginStream(response).end(toWire(events))
  })

  const cut = await brokenAfter(client)
  const told = await brokenAfter(client, { request: { ...REQUEST, model: 'beta' } })

  expect(cut).toMatchObject({ text: 'Привет', detail: undefined })
  expect(told).toMatchObject({ text: 'Привет', detail: 'provider went away' })
})

test('streamChat() leaves the outcome open when the connection dies before the answer', async () => {
  const { client, server } = await start((_response, { socket }) => {
    socket.resetAndDestroy()
  })

  await expect(Array.fromAsync(client.streamChat(REQUEST))).rejects.toThrow(OutcomeUnknownError)

  expect(server.requests).toHaveLength(1)
})

test('streamChat() leaves the outcome open when the first byte does not come in time', async () => {
  const { client } = await start(() => {}, { timeouts: { firstByteMs: 50 } })

  await expect(Array.fromAsync(client.streamChat(REQUEST))).rejects.toThrow(OutcomeUnknownError)
})

test('streamChat() reads an answer that the service did not stream', async () => {
  const { client } = await start((response) => sendJson(response, 200, PLAIN_ANSWER))

  const events = await Array.fromAsync(client.streamChat(REQUEST))

  expect(events).toEqual([{ type: 'delta', text: 'Привет' }, RECORDED_FINISH])
})

test('streamChat() keeps many streams open at once', async () => {
  const count = 50
  const open: ServerResponse[] = []
  const { client } = await start((response, { body }) => {
    const { model } = JSON.parse(body) as { model: string }
    beginStream(response).write(toWire([chunk({ delta: { content: model } })]))
    open.push(response)
    // Every stream waits for the last one to begin.
    if (open.length === count) for (const stream of open) stream.end(toWire(RECORDED_EVENTS))
  })

  const texts = await Promise.all(
    Array.from({ length: count }, async (_, index) =>
      toText(await Array.fromAsync(client.streamChat({ ...REQUEST, model: `m${index}` }))),
    ),
  )

  expect(texts).toEqual(Array.from({ length: count }, (_, index) => `m${index}${RECORDED_TEXT}`))
})

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
    { sleep },
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
    { sleep },
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

test('a wait between attempts ends with the signal', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const server = await startServer((response) => {
    sendJson(response, 503, { detail: 'away' }, { 'retry-after': '9' })
    // With the answer out, the client is in its wait or about to be.
    response.once('close', () => controller.abort(reason))
  })
  const client = connect(server.baseUrl)

  await expect(client.chat(REQUEST, { signal: controller.signal })).rejects.toBe(reason)

  expect(server.requests).toHaveLength(1)
})

test('chat() resolves with the whole completion', async () => {
  const { client, server } = await start((response) => sendJson(response, 200, PLAIN_ANSWER))

  const completion = await client.chat({ model: 'alpha-large', messages: REQUEST.messages })

  const { type: _type, ...finish } = RECORDED_FINISH
  expect(completion).toEqual({ ...finish, content: 'Привет' })
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    model: 'alpha-large',
    messages: [{ role: 'user', content: 'Привет' }],
  })
})

test('createVideo() resolves with the task and passes the idempotency key on', async () => {
  const { client, server } = await start((response) => sendJson(response, 200, { task_id: 41 }))
  const request = { prompt: 'кот', aspect_ratio: '1280:720', duration: 10 } as const

  const created = await client.createVideo(request, { idempotencyKey: 'order-7' })
  await client.createVideo(request)

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

test('createVideo() lists the refused fields', async () => {
  const detail = [{ loc: ['body', 'aspect_ratio'], msg: 'required without image_url' }]
  const { client } = await start((response) => sendJson(response, 422, { detail }))

  const error = await client.createVideo({ prompt: 'кот' }).catch((reason) => reason)

  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error.fields).toEqual(detail)
})

test('createVideo() never repeats a request that was sent and not answered', async () => {
  const { client, server } = await start((_response, { socket }) => {
    socket.resetAndDestroy()
  })

  await expect(client.createVideo({ prompt: 'кот' })).rejects.toThrow(OutcomeUnknownError)

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
  expect(error).toMatchObject({ taskId: 41, status: 404, detail: 'no such task' })
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
      { sleep },
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

test.each([
  [{ 'accept-idempotency-key': 'creation' }, true],
  [{}, false],
])(
  'balance() with the headers %j tells whether idempotency keys are honoured',
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

test('callbackSecret() resolves with the secret', async () => {
  const { client, server } = await start((response) => sendJson(response, 200, { secret: 's' }))

  expect(await client.callbackSecret()).toBe('s')
  expect(server.requests[0]?.path).toBe('/api/v1/callback/secret')
})

test('a client takes a base URL with a slash at its end', async () => {
  const { server } = await start((response) => sendJson(response, 200, { balance_rub: 1 }))

  await connect(`${server.baseUrl}/`).balance()

  expect(server.requests[0]?.path).toBe('/api/v1/balance')
})

async function start(
  answer: (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>,
  options: Partial<ServiceClientOptions> = {},
) {
  const server = await startServer(answer)
  return { server, client: connect(server.baseUrl, { sleep: async () => {}, ...options }) }
}

function connect(baseUrl: string, options: Partial<ServiceClientOptions> = {}): ServiceClient {
  const client = createServiceClient({ baseUrl, apiKey: 'key-of-the-account', ...options })
  onTestFinished(() => client.close())
  return client
}

async function brokenAfter(
  client: ServiceClient,
  {
    request = REQUEST,
    onDelta = () => {},
  }: { request?: CompletionRequest; onDelta?: (seen: number) => unknown } = {},
): Promise<StreamBrokenError> {
  let seen = 0
  try {
    for await (const _event of client.streamChat(request)) onDelta(++seen)
  } catch (error) {
    expect(error).toBeInstanceOf(StreamBrokenError)
    return error as StreamBrokenError
  }
  throw new Error('The stream was not broken')
}

function toText(events: readonly CompletionEvent[]): string {
  return events.map((event) => (event.type === 'delta' ? event.text : '')).join('')
}
