import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify, { type FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { abortWhenGone } from '../../../src/service/http/client-gone.ts'
import { createEventStream } from '../../../src/service/http/event-stream.ts'

const PIECE = 'x'.repeat(256 * 1024)
const PIECES_MAX = 1000

test('a client that reads nothing blocks the writer, and frees it by leaving', async () => {
  await using server = await serve(async (reply) => {
    const controller = abortWhenGone(reply)
    const stream = createEventStream(reply, controller)
    stream.open()
    await writeUntilBlocked(stream, (blocked) => server.blocked.resolve(blocked))
    return controller.signal
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

test('a client that starts reading again frees the writer', async () => {
  await using server = await serve(async (reply) => {
    const controller = abortWhenGone(reply)
    const stream = createEventStream(reply, controller)
    stream.open()
    await writeUntilBlocked(stream, (blocked) => server.blocked.resolve(blocked))
    await stream.end('end')
    return controller.signal
  })
  const socket = server.connect()
  socket.pause()

  const blocked = await server.blocked.promise
  socket.resume()
  await blocked.wait

  const signal = await server.handled
  expect(signal.aborted).toBe(false)
})

test('an abort frees a writer that waits', async () => {
  await using server = await serve(async (reply) => {
    const controller = abortWhenGone(reply)
    const stream = createEventStream(reply, controller)
    stream.open()
    await writeUntilBlocked(stream, (blocked) => {
      server.blocked.resolve(blocked)
      controller.abort(new Error('stopping'))
    })
    return controller.signal
  })
  server.connect().pause()

  await (await server.blocked.promise).wait

  expect((await server.handled).reason.message).toBe('stopping')
})

/** In an object, because a bare promise would be waited for on its way out. */
interface Blocked {
  wait: Promise<void>
}

async function writeUntilBlocked(
  stream: ReturnType<typeof createEventStream>,
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
