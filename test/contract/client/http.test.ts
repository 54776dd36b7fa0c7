import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  OutcomeUnknownError,
  type ServiceError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
} from '../../../src/contract/client/errors.ts'
import {
  type Call,
  createServiceHttp,
  DEFAULT_TIMEOUTS,
} from '../../../src/contract/client/http.ts'
import type { Proxies } from '../../../src/platform/http/proxies.ts'
import { sendJson, startServer } from '../../platform/http/local-server.ts'
import { openProxies, startProxyServer } from '../../platform/http/proxy-server.ts'
import { findClosedAddress } from '../../platform/http/tcp-server.ts'

const hooks = { whenAllowed: async () => {}, onAnswer: () => {} }

const API_KEY = 'key-of-the-account'

test('open() sends the key, the path below the base URL and the body', async () => {
  const server = await startServer((response) => sendJson(response, 200, {}))

  await open(server.baseUrl, post({ body: '{"prompt":"кот"}', headers: { 'x-extra': '1' } }))

  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/videos',
      body: '{"prompt":"кот"}',
      headers: {
        authorization: `Bearer ${API_KEY}`,
        'content-type': 'application/json',
        'x-extra': '1',
      },
    },
  ])
})

test('open() takes any 2xx for an answer and follows no redirect', async () => {
  const server = await startServer((response, { path }) => {
    if (path.endsWith('/moved')) response.writeHead(302, { location: '/api/v1/videos' }).end()
    else sendJson(response, 201, {})
  })

  const answer = await open(server.baseUrl, post())
  const error = await failure(open(server.baseUrl, get({ path: '/moved' })))

  expect(answer.status).toBe(201)
  expect(error).toBeInstanceOf(UnexpectedAnswerError)
  expect(server.requests).toHaveLength(2)
})

test('open() never repeats the API key, even where the service quotes it', async () => {
  const server = await startServer((response) =>
    sendJson(response, 401, { detail: `wrong key ${API_KEY}` }),
  )

  const error = await failure(open(server.baseUrl, get()))

  expect(error).toBeInstanceOf(UnauthorizedError)
  expect(error.detail).toBe('wrong key [key]')
})

test('open() knows a refusal whose body never ends in order', async () => {
  const server = await startServer((response) => {
    response.writeHead(402, { 'content-length': '100' })
    response.write('{"detail":', () => response.destroy())
  })

  const error = await failure(open(server.baseUrl, post()))

  expect(error).toMatchObject({ code: 'insufficient_balance', detail: undefined })
})

test('open() finds the service unavailable when nothing listens', async () => {
  const error = await failure(open(`http://${await findClosedAddress()}/api/v1`, post()))

  expect(error).toBeInstanceOf(ServiceUnavailableError)
  expect(error.status).toBeUndefined()
})

test('open() finds the service unavailable when no secure connection comes about', async () => {
  const server = await startServer(() => {})
  const secureUrl = server.baseUrl.replace('http:', 'https:')

  const error = await failure(open(secureUrl, post()))

  expect(error).toBeInstanceOf(ServiceUnavailableError)
  expect(server.requests).toHaveLength(0)
})

test.each([
  ['POST', OutcomeUnknownError],
  ['GET', ServiceUnavailableError],
] as const)(
  'open() makes the right error of a %s whose connection is reset',
  async (method, expected) => {
    const server = await startServer((_response, { socket }) => {
      socket.resetAndDestroy()
    })

    const error = await failure(open(server.baseUrl, method === 'POST' ? post() : get()))

    expect(error).toBeInstanceOf(expected)
    expect(server.requests).toHaveLength(1)
  },
)

test.each([
  ['POST', OutcomeUnknownError],
  ['GET', ServiceUnavailableError],
] as const)(
  'open() makes the right error of a %s that is never answered',
  async (method, expected) => {
    const server = await startServer(() => {})
    const call = method === 'POST' ? post({ firstByteMs: 50 }) : get({ firstByteMs: 50 })

    const error = await failure(open(server.baseUrl, call))

    expect(error).toBeInstanceOf(expected)
  },
)

test('open() on an aborted signal throws its reason and sends nothing', async () => {
  const server = await startServer(() => {})
  const reason = new Error('stopped')

  const error = await failure(open(server.baseUrl, post({ signal: AbortSignal.abort(reason) })))

  expect(error).toBe(reason)
  expect(server.connections()).toBe(0)
})

test('open() throws the reason of a signal that aborts before the answer, and leaves', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const left = Promise.withResolvers<void>()
  const server = await startServer((_response, { socket }) => {
    socket.once('close', () => left.resolve())
    controller.abort(reason)
  })

  const error = await failure(open(server.baseUrl, post({ signal: controller.signal })))

  expect(error).toBe(reason)
  await left.promise
})

describe.each([
  ['open() and read()', read],
  ['ask()', ask],
] as const)('%s', (_way, read) => {
  test.each([
    ['no JSON', 'oops'],
    ['nothing', ''],
    ['a shape that the reader does not know', '{"other":1}'],
  ])('throw an error of its own on %s', async (_name, text) => {
    const server = await startServer((response) => {
      response.end(text)
    })
    const reader = (json: unknown) => (json as { value?: string } | undefined)?.value

    const error = await failure(read(server.baseUrl, post(), reader))

    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 200 })
    expect(error.cause).toBeUndefined()
  })

  test.each([
    ['POST', OutcomeUnknownError],
    ['GET', ServiceUnavailableError],
  ] as const)('make the right error of a %s whose answer breaks off', async (method, expected) => {
    const server = await startServer(breakOff)
    const call = method === 'POST' ? post() : get()

    const error = await failure(read(server.baseUrl, call, (json) => json))

    expect(error).toBeInstanceOf(expected)
  })

  test('do not wait for a body that falls silent', async () => {
    const server = await startServer((response) => {
      response.writeHead(200).write('{')
    })

    const error = await failure(read(server.baseUrl, get(), (json) => json, { silenceMs: 50 }))

    expect(error).toBeInstanceOf(ServiceUnavailableError)
  })
})

test.each([
  ['http', 'POST', OutcomeUnknownError],
  ['http', 'GET', ServiceUnavailableError],
  ['socks5', 'POST', OutcomeUnknownError],
] as const)(
  'a proxy by %s that dies over a %s makes the right error, and sends it no second time',
  async (protocol, method, expected) => {
    const names = { 'service.test': '127.0.0.1' }
    const [first, second] = [
      await startProxyServer({ protocol, names }),
      await startProxyServer({ names }),
    ]
    const server = await startServer(() => void first.kill())
    const proxies = openProxies(`${first.url},${second.url}`)
    const baseUrl = server.baseUrl.replace('127.0.0.1', 'service.test')
    const asking = (call: Call) => failure(client(baseUrl, {}, proxies).open(call))

    const cutOff = await asking(method === 'POST' ? post() : get())
    const requests = server.requests.length
    await second.kill()
    const unsent = await asking(post())

    expect(cutOff).toBeInstanceOf(expected)
    expect(unsent).toBeInstanceOf(ServiceUnavailableError)
    expect([requests, server.requests.length]).toEqual([1, 1])
  },
)

test('close() ends an open request', async () => {
  const arrived = Promise.withResolvers<void>()
  const server = await startServer(() => arrived.resolve())
  const http = createServiceHttp({
    ...hooks,
    baseUrl: server.baseUrl,
    apiKey: API_KEY,
    timeouts: DEFAULT_TIMEOUTS,
  })

  const opened = failure(http.open(post()))
  await arrived.promise
  await http.close()

  expect(await opened).toBeInstanceOf(OutcomeUnknownError)
  expect(await failure(http.open(post()))).toBeInstanceOf(ServiceUnavailableError)
})

test('createServiceHttp() refuses a base URL that is none and an empty key', () => {
  const timeouts = DEFAULT_TIMEOUTS

  expect(() => createServiceHttp({ ...hooks, baseUrl: 'api/v1', apiKey: 'k', timeouts })).toThrow(
    TypeError,
  )
  expect(() => createServiceHttp({ ...hooks, baseUrl: 'http://a', apiKey: '', timeouts })).toThrow(
    TypeError,
  )
})

function post(call: Partial<Call> = {}): Call {
  return { ...get(), method: 'POST', path: '/videos', body: '{}', ...call }
}

function get(call: Partial<Call> = {}): Call {
  const { firstByteMs } = DEFAULT_TIMEOUTS
  return { action: 'try', method: 'GET', path: '/try', firstByteMs, signal: undefined, ...call }
}

function open(baseUrl: string, call: Call, timeouts = {}) {
  return client(baseUrl, timeouts).open(call)
}

async function read<T>(
  baseUrl: string,
  call: Call,
  reader: (json: unknown) => T | undefined,
  timeouts = {},
) {
  const http = client(baseUrl, timeouts)
  return http.read(call, await http.open(call), reader)
}

async function ask<T>(
  baseUrl: string,
  call: Call,
  reader: (json: unknown) => T | undefined,
  timeouts = {},
) {
  return (await client(baseUrl, timeouts).ask(call, reader)).value
}

function client(baseUrl: string, timeouts: object, proxies?: Proxies) {
  const http = createServiceHttp({
    ...hooks,
    baseUrl,
    apiKey: API_KEY,
    proxies,
    timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts },
  })
  onTestFinished(() => http.close())
  return http
}

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  return error as ServiceError
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"task_id":', () => response.destroy())
}
