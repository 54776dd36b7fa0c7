import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify, { type FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { ChatClient } from '../../../src/service/chat/chat-client.ts'
import { ReplyStream, type StartTimer } from '../../../src/service/http/event-stream.ts'

const PIECE = 'x'.repeat(256 * 1024)
const PIECES_MAX = 1000

test('a client that reads nothing blocks the writer, and frees it by leaving', async () => {
  await using server = await serve(async (reply) => {
    const client = new ChatClient()
    reply.raw.once('close', () => client.leave())
    const stream = new ReplyStream(reply, client)
    stream.open()
    await writeUntilBlocked(stream, (blocked) => server.blocked.resolve(blocked))
    return client.signal
  })
  const socket = server.connect()
  socket.pause()

  const blocked = await server.blocked.promise
  socket.destroy()
  await blocked.wait

  const signal = await server.handled
  if (!signal.aborted) await once(signal, 'abort')
  expect(signal.reason.name).toBe('ClientGoneError')
})

test('silence is filled with comments until the stream ends', async () => {
  const timers = createTimers()
  await using server = await serve(async (reply) => {
    const client = new ChatClient()
    reply.raw.once('close', () => client.leave())
    const stream = new ReplyStream(reply, client, timers.start)
    stream.open()
    await stream.write('data: 1\n\n')
    timers.passTime(14_999)
    await stream.write('data: 2\n\n')
    timers.passTime(15_000)
    timers.passTime(15_000)
    await stream.end('data: 3\n\n')
    timers.passTime(60_000)
    return client.signal
  })

  const stream = await (await fetch(server.url)).text()

  expect(stream).toBe('data: 1\n\ndata: 2\n\n: keep-alive\n\n: keep-alive\n\ndata: 3\n\n')
  expect(timers.running()).toBe(0)
})

test('nothing is added to what a client does not read, and after 120 s it counts as gone', async () => {
  const timers = createTimers()
  const added = Promise.withResolvers<number>()
  await using server = await serve(async (reply) => {
    const client = new ChatClient()
    reply.raw.once('close', () => client.leave())
    const stream = new ReplyStream(reply, client, timers.start)
    stream.open()
    await writeUntilBlocked(stream, () => {
      const before = reply.raw.writableLength
      timers.passTime(119_999)
      added.resolve(reply.raw.writableLength - before)
      timers.passTime(1)
    })
    reply.raw.destroy()
    await once(reply.raw, 'close')
    return client.signal
  })
  server.connect().pause()

  const { reason } = await server.handled

  expect(await added.promise).toBe(0)
  expect(reason.name).toBe('ClientGoneError')
  expect(timers.running()).toBe(0)
})

function createTimers() {
  const timers = new Set<{ dueMs: number; run: () => void }>()
  let nowMs = 0
  return { start, passTime, running: () => timers.size }

  function start(...[run, delayMs]: Parameters<StartTimer>): ReturnType<StartTimer> {
    const timer = { dueMs: nowMs + delayMs, run }
    timers.add(timer)
    const handle = {
      refresh() {
        timer.dueMs = nowMs + delayMs
        return handle as NodeJS.Timeout
      },
      close() {
        timers.delete(timer)
        return handle as NodeJS.Timeout
      },
    }
    return handle
  }

  function passTime(ms: number): void {
    nowMs += ms
    for (const timer of timers) if (timer.dueMs <= nowMs) timer.run()
  }
}

/** A wait in an object, because a bare promise would be waited for on its way out. */
interface Blocked {
  wait: Promise<void>
}

async function writeUntilBlocked(
  stream: ReplyStream,
  onBlocked: (blocked: Blocked) => void,
): Promise<void> {
  for (let piece = 0; piece < PIECES_MAX; piece += 1) {
    const wait = stream.write(PIECE)
    if (wait === undefined) continue
    // Several writes fit into the kernel; this one may be freed at once.
    const freed = await Promise.race([wait.then(() => true), idle().then(() => false)])
    if (freed) continue
    onBlocked({ wait })
    return await wait
  }
  throw new Error('The writer was never blocked')
}

/** A few rounds of the event loop: what the kernel takes is taken by then. */
async function idle(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise(setImmediate)
}

async function serve(handle: (reply: FastifyReply) => Promise<AbortSignal>) {
  const app = Fastify()
  const blocked = Promise.withResolvers<Blocked>()
  const handled = Promise.withResolvers<AbortSignal>()
  app.get('/', (_request, reply) => {
    handle(reply).then(handled.resolve, handled.reject)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/`,
    blocked,
    handled: handled.promise,
    connect() {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
      return socket
    },
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
