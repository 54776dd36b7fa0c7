import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type PostTimeouts, post } from '../../../src/service/callback/post.ts'

const BODY = Buffer.from('{"task_id":1}')
const PATIENT: PostTimeouts = { connectMs: 20_000, readMs: 20_000 }
const SHORT_READ: PostTimeouts = { connectMs: 20_000, readMs: 150 }
const never = new AbortController().signal
const servers: Server[] = []
const sockets = new Set<Socket>()

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function listen(onData: (socket: Socket, data: Buffer) => void) {
  const state = { connections: 0, port: 0 }
  const server = createServer((socket) => {
    state.connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => onData(socket, data))
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  state.port = (server.address() as AddressInfo).port
  return state
}

function send(url: string, timeouts = PATIENT, signal = never) {
  const target = { url: new URL(url), addresses: ['127.0.0.1'] }
  return post(
    target,
    { headers: { 'content-type': 'application/json' }, body: BODY },
    timeouts,
    signal,
  )
}

const answer = (text: string) => (socket: Socket) => void socket.write(text)

test('post() sends the bytes as they are, to the address it was given, under the name of the URL', async () => {
  const seen: string[] = []
  const server = await listen((socket, data) => {
    seen.push(data.toString())
    socket.end('HTTP/1.1 204 No Content\r\n\r\n')
  })

  const outcome = await send(`http://hooks.example.com:${server.port}/a%20b?c=d#e`)

  expect(outcome).toEqual({ status: 204 })
  const [head, body] = seen.join('').split('\r\n\r\n')
  expect(head?.split('\r\n').sort()).toEqual([
    'Connection: close',
    `Host: hooks.example.com:${server.port}`,
    'POST /a%20b?c=d HTTP/1.1',
    'content-length: 13',
    'content-type: application/json',
  ])
  expect(body).toBe(BODY.toString())
})

test('post() asks for the certificate of the name, not of the address', async () => {
  let hello = ''
  const server = await listen((socket, data) => {
    hello = data.toString('latin1')
    socket.end('this is no TLS')
  })

  const outcome = await send(`https://hooks.example.com:${server.port}/`)

  expect(outcome).toEqual({ failure: 'connect_failed' })
  expect(hello).toContain('hooks.example.com')
})

test('post() takes 302 for an answer and follows no redirect', async () => {
  const server = await listen((socket) => {
    socket.end(
      `HTTP/1.1 302 Moved\r\nlocation: http://127.0.0.1:${server.port}/\r\ncontent-length: 0\r\n\r\n`,
    )
  })

  expect(await send(`http://hooks.example.com:${server.port}/`)).toEqual({ status: 302 })
  expect(server.connections).toBe(1)
})

test.each<[string, (socket: Socket) => void]>([
  ['says nothing', () => {}],
  ['begins its headers and stops', answer('HTTP/1.1 200 OK\r\nx: y\r\n')],
  ['only ever says 103', answer('HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n'.repeat(50))],
])('post() cuts off a receiver that %s', async (_name, onData) => {
  const server = await listen(onData)

  expect(await send(`http://hooks.example.com:${server.port}/`, SHORT_READ)).toEqual({
    failure: 'read_timeout',
  })
})

test('post() stops listening to a body that is too long', async () => {
  const closed = Promise.withResolvers<number>()
  const server = await listen((socket) => {
    let bytes = 0
    socket.on('close', () => closed.resolve(bytes))
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const pour = () => {
      while (!socket.destroyed && bytes < 100e6) {
        bytes += 1024
        if (!socket.write(`400\r\n${'a'.repeat(1024)}\r\n`)) return void socket.once('drain', pour)
      }
    }
    pour()
  })

  expect(await send(`http://hooks.example.com:${server.port}/`)).toEqual({ status: 200 })
  expect(await closed.promise).toBeLessThan(100e6)
})

test.each<[string, (socket: Socket) => void]>([
  ['does not speak HTTP', (socket) => socket.end('220 smtp.example.com ESMTP\r\n')],
  [
    'never ends its headers',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(9999)}`),
  ],
])('post() has no status of a receiver that %s', async (_name, onData) => {
  const server = await listen(onData)

  expect(await send(`http://hooks.example.com:${server.port}/`)).toEqual({ failure: 'bad_answer' })
})

test('post() ends at once when its signal aborts, also before it begins', async () => {
  const controller = new AbortController()
  const server = await listen(() => controller.abort())
  const url = `http://hooks.example.com:${server.port}/`

  const during = await send(url, PATIENT, controller.signal)
  const before = await send(url, PATIENT, controller.signal)

  expect([during, before]).toEqual([{ failure: 'stopped' }, { failure: 'stopped' }])
})
