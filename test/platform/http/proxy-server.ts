import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  createProxies,
  type Proxies,
  type ProxiesDeps,
  parseProxies,
} from '../../../src/platform/http/proxies.ts'

export interface ProxyOptions {
  protocol?: 'http' | 'https' | 'socks5'
  login?: { user: string; password: string } | undefined
  names?: Readonly<Record<string, string>>
  certificate?: { key: string; cert: string }
  port?: number
}

/** A proxy of this machine. */
export interface ProxyServer {
  url: string
  port: number
  asked: string[]
  kill(): Promise<void>
  revive(): Promise<void>
  /** Calls back with the bytes that come from a target, before they go on; `false` holds them back. */
  onAnswer(look: (bytes: Buffer) => boolean): void
}

type Opened = { far: Socket } | 'unknown name' | 'refused'

/** Opens the proxies of such a list as an operator writes it. */
export function openProxies(list: string, options: Partial<ProxiesDeps> = {}): Proxies {
  return createProxies({ addresses: parseProxies(list) ?? [], ...options })
}

/** Starts a proxy by HTTP's `CONNECT`, or by SOCKS5; it goes away with the test. */
export async function startProxyServer({
  protocol = 'http',
  login,
  names = {},
  certificate,
  port: wishedPort = 0,
}: ProxyOptions = {}): Promise<ProxyServer> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  let look = (_: Buffer): boolean => true
  const server = createProxy()
  server.on('connection', keep)
  await listen(wishedPort)
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await close()
  })
  return {
    // A certificate names no addresses here.
    url: `${protocol}://${protocol === 'https' ? 'localhost' : '127.0.0.1'}:${port}`,
    port,
    asked,

    kill: async () => {
      for (const socket of sockets) socket.resetAndDestroy()
      await close()
    },
    revive: () => listen(port),
    onAnswer: (next) => {
      look = next
    },
  }

  async function listen(at: number): Promise<void> {
    await once(server.listen(at, '127.0.0.1'), 'listening')
  }

  async function close(): Promise<void> {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }

  function createProxy(): Server {
    if (protocol === 'socks5') {
      return createServer((near) => {
        speakSocks(near).catch(() => near.destroy())
      })
    }
    const proxy = protocol === 'https' ? createHttpsServer({ ...certificate }) : createHttpServer()
    proxy.on('request', ({ socket }) => socket.destroy())
    proxy.on('connect', (incoming: IncomingMessage, near: Socket) => {
      void takeConnect(incoming, near)
    })
    return proxy
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  async function takeConnect(incoming: IncomingMessage, near: Socket) {
    near.on('error', () => {})
    const { url = '', headers } = incoming
    const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(url) ?? []
    const known = Buffer.from(`${login?.user}:${login?.password}`)
    const wanted = login && `Basic ${known.toString('base64')}`
    if (headers['proxy-authorization'] !== wanted) {
      near.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
      return
    }
    const opened = await reach(host.replace(/^\[(.*)\]$/, '$1'), Number(port))
    if (typeof opened === 'string') {
      near.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
      return
    }
    near.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n')
    join(near, opened.far)
  }

  async function speakSocks(near: Socket): Promise<void> {
    const read = (count: number) => readFrom(near, count)
    const [, count = 0] = await read(2)
    const methods = await read(count)
    const method = login === undefined ? 0 : 2
    if (!methods.includes(method)) return void near.end(Buffer.from([5, 0xff]))
    near.write(Buffer.from([5, method]))
    if (login !== undefined && !(await isLoggedIn(near, read))) return
    const [, , , kind] = await read(4)
    const host = await readHost(read, kind)
    const port = (await read(2)).readUInt16BE()
    const opened = await reach(host, port)
    const status = { 'unknown name': 4, refused: 5 }
    if (typeof opened === 'string') {
      near.write(Buffer.from([5, status[opened], 0, 1, 0, 0, 0, 0, 0, 0]))
      near.end()
      return
    }
    near.write(Buffer.from([5, 0, 0, 3, 4, ...Buffer.from('here'), 0, 80]))
    join(near, opened.far)
  }

  async function isLoggedIn(near: Socket, read: Read): Promise<boolean> {
    await read(1)
    const user = String(await read((await read(1))[0] ?? 0))
    const password = String(await read((await read(1))[0] ?? 0))
    const isRight = user === login?.user && password === login?.password
    near.write(Buffer.from([1, isRight ? 0 : 1]))
    if (!isRight) near.end()
    return isRight
  }

  async function readHost(read: Read, kind: number | undefined): Promise<string> {
    if (kind === 1) return (await read(4)).join('.')
    return String(await read((await read(1))[0] ?? 0))
  }

  async function reach(host: string, port: number): Promise<Opened> {
    asked.push(`${host}:${port}`)
    const isAddress = /^[\d.]+$|:/.test(host)
    const address = isAddress ? host : names[host]
    if (address === undefined) return 'unknown name'
    const far = connect({ host: address, port })
    keep(far)
    try {
      await once(far, 'connect')
      return { far }
    } catch {
      return 'refused'
    }
  }

  function join(near: Socket, far: Socket): void {
    near.once('close', () => {
      far.destroy()
    })
    far.once('close', () => near.end())
    far.on('data', (bytes) => look(bytes) && near.write(bytes))
    near.pipe(far)
  }
}

type Read = (count: number) => Promise<Buffer>

async function readFrom(near: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : near.read(count)
    if (bytes?.length === count) return bytes
    if (near.destroyed || near.readableEnded) throw new Error('the client left')
    await once(near, 'readable')
  }
}
