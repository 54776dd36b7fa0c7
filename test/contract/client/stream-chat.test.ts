import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../../src/contract/client/completion-stream.ts'
import { OutcomeUnknownError, StreamBrokenError } from '../../../src/contract/client/errors.ts'
import type {
  CompletionRequest,
  ServiceClient,
} from '../../../src/contract/client/service-client.ts'
import { beginStream, sendJson } from '../../platform/http/local-server.ts'
import { REQUEST, start } from './client-setup.ts'
import { RECORDED_EVENTS, RECORDED_FINISH, RECORDED_TEXT, toWire } from './recorded-stream.ts'

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
  const broken = await brokenAfter(client, { request: { ...REQUEST, model: 'beta' } })

  expect(cut).toMatchObject({ text: 'Привет', detail: undefined })
  expect(broken).toMatchObject({ text: 'Привет', detail: 'provider went away' })
})

test('streamChat() leaves the outcome open when the connection dies before the answer', async () => {
  const { client, server } = await start((_response, { socket }) => {
    socket.resetAndDestroy()
  })

  await expect(Array.fromAsync(client.streamChat(REQUEST))).rejects.toThrow(OutcomeUnknownError)

  expect(server.requests).toHaveLength(1)
})

test('streamChat() reads an answer that the service did not stream', async () => {
  const { client } = await start((response) => sendJson(response, 200, PLAIN_ANSWER))

  const events = await Array.fromAsync(client.streamChat(REQUEST))

  expect(events).toEqual([{ type: 'delta', text: 'Привет' }, RECORDED_FINISH])
})

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
