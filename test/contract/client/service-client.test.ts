import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceClientOptions } from '../../../src/contract/client/service-client.ts'
import {
  createServiceClient,
  type ServiceClient,
} from '../../../src/contract/client/service-client.ts'
import type { ServiceError } from '../../../src/contract/client/service-error.ts'
import {
  beginStream,
  type ReceivedRequest,
  sendJson,
  startServer,
} from '../../platform/http/local-server.ts'
import { findClosedAddress } from '../../platform/http/tcp-server.ts'

type Answer = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>

const API_KEY = 'key-of-the-account'
const PROMPT = 'кот'
const CHAT = {
  model: 'alpha-large',
  messages: [{ role: 'user' as const, content: 'Привет' }],
  maxTokens: 100,
}
const FINAL = {
  id: 'req_1',
  model: 'alpha-large',
  usage: { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 },
  cost_rub: 0.0222,
}
const FINISH = {
  type: 'finish',
  requestId: 'req_1',
  finishReason: 'stop',
  usage: { promptTokens: 12, completionTokens: 34 },
  costMicroRub: 22_200n,
}
const DELTA_EVENT = 'data: {"choices":[{"delta":{"content":"Привет"}}]}\n\n'
const FINAL_EVENT = `data: ${JSON.stringify({ ...FINAL, choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`

const CALLS = {
  chat: (client: ServiceClient) => Array.fromAsync(client.streamChat(CHAT)),
  'chat of a queue': (client: ServiceClient) =>
    Array.fromAsync(client.streamChat(CHAT, { retryRateLimited: false })),
  create: (client: ServiceClient) =>
    client.createTask({ kind: 'video', request: { prompt: PROMPT } }),
  task: (client: ServiceClient) => client.task(41),
  models: (client: ServiceClient) => client.models(),
  prices: (client: ServiceClient) => client.prices(),
  balance: (client: ServiceClient) => client.balance(),
}
type CallName = keyof typeof CALLS

test('streamChat() sends the whole history, yields the deltas, then usage and cost', async () => {
  const { client, server } = await start((response) => {
    beginStream(response).end(`${DELTA_EVENT}${FINAL_EVENT}data: [DONE]\n\n`)
  })

  const events = await CALLS.chat(client)

  expect(events).toEqual([{ type: 'delta', text: 'Привет' }, FINISH])
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/chats/completions',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    },
  ])
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    model: 'alpha-large',
    messages: [{ role: 'user', content: 'Привет' }],
    max_tokens: 100,
    stream: true,
  })
})

test('streamChat() yields each delta as it comes', async () => {
  const stream = Promise.withResolvers<ServerResponse>()
  const { client } = await start((response) => {
    beginStream(response).write(DELTA_EVENT)
    stream.resolve(response)
  })

  const events = client.streamChat(CHAT)
  const first = await events.next()
  const response = await stream.promise
  response.end(FINAL_EVENT)
  const rest = await Array.fromAsync(events)

  expect(first.value).toEqual({ type: 'delta', text: 'Привет' })
  expect(rest).toEqual([FINISH])
})

test('streamChat() closes the connection if its loop is left early or its signal aborts', async () => {
  const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let requests = 0
  const { client } = await start((response) => {
    response.once('close', closed[requests++]?.resolve ?? expect.unreachable)
    beginStream(response).write(DELTA_EVENT)
  })
  const controller = new AbortController()
  const reason = new Error('stopped by its reader')

  for await (const _event of client.streamChat(CHAT)) break
  await closed[0]?.promise
  const events = client.streamChat(CHAT, { signal: controller.signal })
  await events.next()
  const next = events.next()
  controller.abort(reason)

  await expect(next).rejects.toBe(reason)
  await closed[1]?.promise
})

test('streamChat() is broken if the stream falls silent', async () => {
  const { client } = await start((response) => void beginStream(response).write(DELTA_EVENT), {
    timeouts: { silenceMs: 100 },
  })

  expect(await failure(CALLS.chat(client))).toMatchObject({ code: 'stream_broken' })
})

test('createTask() passes on the idempotency key and the callback URL, and each kind has its path', async () => {
  const { client, server } = await start((response) => sendJson(response, 201, { task_id: 41 }))
  const request = { prompt: PROMPT, aspect_ratio: '1280:720', duration: 10 } as const
  const options = { idempotencyKey: 'order-7', callbackUrl: 'https://bot.example.org/7' }

  const created = await client.createTask({ kind: 'video', request }, options)
  await client.createTask({ kind: 'image', request: { prompt: PROMPT } })
  await client.createTask({ kind: 'sound', request: { prompt: PROMPT } })

  expect(created).toEqual({ taskId: 41 })
  expect(
    server.requests.map(({ path, headers }) => [
      path,
      headers['idempotency-key'],
      headers['x-callback-url'],
    ]),
  ).toEqual([
    ['/api/v1/videos/vidgen-generate', 'order-7', 'https://bot.example.org/7'],
    ['/api/v1/images/imagegen-generate', undefined, undefined],
    ['/api/v1/sounds/soundgen-generate', undefined, undefined],
  ])
  expect(server.requests[0]?.body).toBe(JSON.stringify(request))
})

test('callbackSecret() and prices() read their own paths; a service need not have prices', async () => {
  const { client } = await start((response, { path }) =>
    path === '/api/v1/callback/secret'
      ? sendJson(response, 200, { secret: 'abc' })
      : sendJson(response, 404, { detail: 'Unknown path.' }),
  )

  expect(await client.callbackSecret()).toBe('abc')
  expect(await client.prices()).toBeUndefined()
})

test.each([
  [{ 'accept-idempotency-key': 'creation' }, true],
  [{}, false],
])('balance() with the headers %j reports idempotency keys', async (headers, honours) => {
  const { client } = await start((response) =>
    sendJson(response, 200, { balance_rub: 12.34 }, headers as Record<string, string>),
  )

  const balance = await client.balance()

  expect(balance).toEqual({ balanceMicroRub: 12_340_000n, honoursIdempotencyKey: honours })
})

const SAID = '{"detail":"said"}'
const PAGE = '<html>Bad Gateway</html>'

test.each<[CallName, number, string, string, number]>([
  ['create', 401, SAID, 'unauthorized', 1],
  ['create', 402, SAID, 'insufficient_balance', 1],
  ['create', 403, SAID, 'unauthorized', 1],
  ['create', 422, SAID, 'invalid_request', 1],
  ['create', 429, SAID, 'rate_limited', 1],
  ['create', 500, SAID, 'outcome_unknown', 1],
  ['create', 502, SAID, 'provider_rejected', 1],
  ['create', 502, PAGE, 'outcome_unknown', 1],
  ['create', 503, PAGE, 'service_unavailable', 1],
  ['chat', 429, SAID, 'rate_limited', 3],
  ['chat of a queue', 429, SAID, 'rate_limited', 1],
  ['chat of a queue', 503, SAID, 'service_unavailable', 3],
  ['chat', 502, SAID, 'provider_rejected', 1],
  ['chat', 502, '{"detail":"","code":"context_length_exceeded"}', 'context_length_exceeded', 1],
  ['chat', 503, '{"detail":"","code":"model_misconfigured"}', 'model_misconfigured', 1],
  ['chat', 404, PAGE, 'not_this_service', 1],
  ['models', 404, '{"error":{"message":"Invalid URL"}}', 'not_this_service', 1],
  ['chat', 404, '{"detail":"There is no such model."}', 'invalid_request', 1],
  ['task', 404, SAID, 'task_not_found', 1],
  ['task', 429, SAID, 'rate_limited', 1],
  ['task', 503, SAID, 'service_unavailable', 1],
  ['balance', 429, SAID, 'rate_limited', 3],
  ['balance', 503, SAID, 'service_unavailable', 3],
])(
  '%s answered %i %s fails with %s after %i attempts',
  async (name, status, body, code, attempts) => {
    const { client, server } = await start((response) => {
      response.writeHead(status, { location: '/elsewhere' }).end(body)
    })

    const error = await failure(CALLS[name](client))

    expect(error).toMatchObject({ code, status, detail: body === SAID ? 'said' : error.detail })
    expect(error.message).not.toContain('said')
    expect(server.requests).toHaveLength(attempts)
  },
)

test.each([
  [`{"detail":"wrong key ${API_KEY}"}`, 'wrong key [key]'],
  [
    '{"detail":[{"loc":["body","prompt",0],"msg":"too long"},"odd"]}',
    'body.prompt.0: too long; odd',
  ],
  ['', undefined],
  ['{"detail":7}', undefined],
])('a refusal with the body %j has the detail %j', async (body, detail) => {
  const { client } = await start((response) => void response.writeHead(422).end(body))

  expect((await failure(CALLS.create(client))).detail).toBe(detail)
})

test.each<[number, (string | undefined)[], number[]]>([
  [429, ['4'], [4000, 4000]],
  [503, [undefined], [500, 1000]],
  [429, ['10', '1'], [10_000]],
  [429, ['11'], []],
])('after %i with Retry-After %j a call waits %j ms', async (status, retryAfter, waits) => {
  const sleep = vi.fn(async (_ms: number) => {})
  const { client, server } = await start(
    (response) => {
      const seconds = retryAfter[server.requests.length - 1] ?? retryAfter.at(-1)
      sendJson(response, status, {}, seconds === undefined ? {} : { 'retry-after': seconds })
    },
    { clock: { sleep } },
  )

  const error = await failure(CALLS.balance(client))

  expect(sleep.mock.calls.map(([ms]) => ms)).toEqual(waits)
  const last = retryAfter.at(-1)
  expect(error.retryAfterMs).toBe(last === undefined ? undefined : Number(last) * 1000)
})

test('a call stops waiting for its next attempt when its signal aborts', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const sleep = async () => controller.abort(reason)
  const { client, server } = await start((response) => sendJson(response, 429, {}), {
    clock: { sleep },
  })

  const error = await failure(client.balance({ signal: controller.signal }))

  expect(error).toBe(reason)
  expect(server.requests).toHaveLength(1)
})

const FAULTS = {
  'a reset': (_response, { socket }) => void socket.resetAndDestroy(),
  'no answer': () => {},
  'half an answer': (response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"task_id":', () => response.destroy())
  },
  'an answer that falls silent': (response) => void response.writeHead(200).write('{'),
  'no JSON': (response) => void response.end('oops'),
  'an unknown shape': (response) => void response.end('{"other":1}'),
  'half a refusal': (response) => {
    response.writeHead(402, { 'content-length': '100' })
    response.write('{"detail":', () => response.destroy())
  },
} satisfies Record<string, Answer>

test.each<[keyof typeof FAULTS, CallName, string]>([
  ['a reset', 'create', 'outcome_unknown'],
  ['a reset', 'chat', 'outcome_unknown'],
  ['no answer', 'create', 'outcome_unknown'],
  ['half an answer', 'create', 'outcome_unknown'],
  ['half an answer', 'balance', 'service_unavailable'],
  ['an answer that falls silent', 'balance', 'service_unavailable'],
  ['no JSON', 'create', 'unexpected_answer'],
  ['an unknown shape', 'task', 'unexpected_answer'],
  ['half a refusal', 'create', 'insufficient_balance'],
])('%s to %s fails with %s, and nothing is sent twice', async (fault, name, code) => {
  const isSilent = fault === 'no answer' || fault === 'an answer that falls silent'
  const { client, server } = await start(FAULTS[fault], {
    timeouts: isSilent ? { answerMs: 50, silenceMs: 50 } : {},
  })

  const error = await failure(CALLS[name](client))

  expect(error).toMatchObject({ code, detail: undefined })
  expect(server.requests).toHaveLength(1)
})

test('a service that is not reached is unavailable', async () => {
  const { client: secure, server } = await start(
    () => {},
    {},
    (url) => url.replace('http', 'https'),
  )
  const { client: closed } = await start(() => {}, {}, await closedUrl())

  expect(await failure(CALLS.create(secure))).toMatchObject({ code: 'service_unavailable' })
  expect(await failure(CALLS.create(closed))).toMatchObject({
    code: 'service_unavailable',
    status: undefined,
  })
  expect(server.requests).toHaveLength(0)
})

test('an aborted call sends nothing; a call that is aborted in between closes its connection', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const left = Promise.withResolvers<void>()
  const { client, server } = await start((_response, { socket }) => {
    socket.once('close', () => left.resolve())
    controller.abort(reason)
  })
  const media = { kind: 'video', request: { prompt: PROMPT } } as const

  const unsent = await failure(client.createTask(media, { signal: AbortSignal.abort(reason) }))
  const connections = server.connections()
  const cut = await failure(client.createTask(media, { signal: controller.signal }))

  expect([unsent, cut]).toEqual([reason, reason])
  expect(connections).toBe(0)
  await left.promise
})

test('close() ends an open request', async () => {
  const arrived = Promise.withResolvers<void>()
  const { client } = await start(() => arrived.resolve())

  const creating = failure(CALLS.create(client))
  await arrived.promise
  await client.close()

  expect(await creating).toMatchObject({ code: 'outcome_unknown' })
  expect(await failure(CALLS.create(client))).toMatchObject({ code: 'service_unavailable' })
})

test('polls reuse connections, creations never do', async () => {
  const { client, server } = await start((response, { method }) =>
    sendJson(response, 200, method === 'POST' ? { task_id: 1 } : { status: 'waiting' }),
  )

  for (let count = 0; count < 20; count++) await client.task(1)
  const forPolls = server.connections()
  for (let count = 0; count < 5; count++) await CALLS.create(client)

  expect(forPolls).toBeLessThan(5)
  expect(server.connections() - forPolls).toBe(5)
})

test('createServiceClient() rejects an invalid base URL and an empty key', () => {
  expect(() => createServiceClient({ baseUrl: 'api/v1', apiKey: 'k' })).toThrow(TypeError)
  expect(() => createServiceClient({ baseUrl: 'http://a', apiKey: '' })).toThrow(TypeError)
})

/** A server that answers as the test needs, and a client of it that does not sleep between attempts. */
async function start(
  answer: Answer,
  options: Partial<ServiceClientOptions> = {},
  toUrl = (url: string) => url,
) {
  const server = await startServer(answer)
  const client = createServiceClient({
    baseUrl: toUrl(server.baseUrl),
    apiKey: API_KEY,
    clock: { sleep: async () => {} },
    ...options,
  })
  onTestFinished(() => client.close())
  return { server, client }
}

async function closedUrl() {
  const address = await findClosedAddress()
  return () => `http://${address}/api/v1`
}

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  return error as ServiceError
}
