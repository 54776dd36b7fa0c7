import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChatClient, LEFT_MS_MAX } from '../../../src/service/chat/chat-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const GONE = expect.objectContaining({ name: 'ClientGoneError' })

test('a client that leaves has what is done for it broken off at once', () => {
  const client = new ChatClient()

  client.leave()

  expect(client.signal.reason).toEqual(GONE)
})

test('outlast() lets work go on for a while when the client has left, and breaks off the rest', async () => {
  const client = new ChatClient()
  const work = Promise.withResolvers<string>()
  client.signal.addEventListener('abort', () => work.reject(client.signal.reason))
  const outcome = expect(client.outlast(() => work.promise)).rejects.toEqual(GONE)

  client.leave()
  vi.advanceTimersByTime(LEFT_MS_MAX - 1)
  const isAbortedBefore = client.signal.aborted
  vi.advanceTimersByTime(1)

  await outcome
  expect(isAbortedBefore).toBe(false)
})

test('outlast() gives what was made for a client that has left; nothing more is done for it then', async () => {
  const client = new ChatClient()
  const work = Promise.withResolvers<string>()
  const outlasting = client.outlast(() => work.promise)

  client.leave()
  work.resolve('made')

  expect(await outlasting).toBe('made')
  expect(client.signal.reason).toEqual(GONE)
  expect(vi.getTimerCount()).toBe(0)
})

test('outlast() leaves the signal alone while the client is there', async () => {
  const client = new ChatClient()

  await client.outlast(async () => {})

  expect(client.signal.aborted).toBe(false)
})

test('abort() breaks off at once what goes on for a client that has left', async () => {
  const client = new ChatClient()
  const stopping = new Error('stopping')
  const work = Promise.withResolvers<string>()
  client.signal.addEventListener('abort', () => work.reject(client.signal.reason))
  const outcome = expect(client.outlast(() => work.promise)).rejects.toBe(stopping)

  client.leave()
  client.abort(stopping)

  await outcome
  expect(vi.getTimerCount()).toBe(0)
})
