import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient, readWholeAnswer } from '../../../src/platform/http/http-client.ts'
import { type Proxies, parseProxies } from '../../../src/platform/http/proxies.ts'
import { makeSelfSigned } from '../../support/self-signed.ts'
import { createManualClock } from '../time/manual-clock.ts'
import { startServer } from './local-server.ts'
import {
  openProxies,
  type ProxyOptions,
  type ProxyServer,
  startProxyServer,
} from './proxy-server.ts'
import { findClosedAddress, startTcpServer } from './tcp-server.ts'

const NAME = 'target.test'
const NAMES = { [NAME]: '127.0.0.1' }
const CONNECT_MS = 5_000
const TIMEOUTS = { connectMs: CONNECT_MS, silenceMs: 5_000 }
const PROTOCOLS = ['http', 'https', 'socks5'] as const
const PROXY_CERTIFICATE = trusted('localhost')
const TARGET_CERTIFICATE = trusted(NAME)

test.each(PROTOCOLS)(
  'a request goes through a proxy by %s, which finds the name',
  async (protocol) => {
    const { port } = await startTarget()
    const proxy = await openProxy({ protocol })

    const plain = await ask(`http://${NAME}:${port}/a`, openProxies(proxy.url))
    const proxies = openProxies(proxy.url)
    const secure = await ask(`https://${NAME}:${await startSecureTarget()}/b`, proxies)

    expect(plain).toMatchObject({ outcome: 'answered', status: 200, body: Buffer.from('/a') })
    expect(secure).toMatchObject({ outcome: 'answered', status: 200, body: Buffer.from('/b') })
    expect(proxy.asked[0]).toBe(`${NAME}:${port}`)
    expect(proxies.usedName()).toBe(`${protocol}://${new URL(proxy.url).host}`)
  },
)

test.each(PROTOCOLS)(
  'a proxy by %s lets in who has its password, and it is shown nowhere',
  async (protocol) => {
    const { port } = await startTarget()
    const login = { user: 'us:er@', password: 'p,a%s ü' }
    const proxy = await openProxy({ protocol, login: { ...login, user: 'user' } })
    const { lines, log } = openLog()
    const withLogin = (user: string, password: string) =>
      openProxies(proxy.url.replace('//', `//${user}:${encodeURIComponent(password)}@`), { log })

    const right = withLogin('user', login.password)
    const answer = await ask(`http://${NAME}:${port}/`, right)
    const wrong = await ask(`http://${NAME}:${port}/`, withLogin('user', 'wrong-password'))
    const none = await ask(`http://${NAME}:${port}/`, openProxies(proxy.url, { log }))

    expect(answer).toMatchObject({ outcome: 'answered' })
    expect([wrong, none]).toMatchObject([{ outcome: 'unsent' }, { outcome: 'unsent' }])
    const shown = JSON.stringify([right.usedName(), causeOf(wrong), causeOf(none), lines])
    expect(shown).toMatch(protocol === 'socks5' ? 'Socks5 Authentication failed' : 'answered 407')
    expect(shown).not.toMatch(/user:|wrong-password|p,a/)
  },
)

test('the next proxy is tried at once, the one that works is kept, and a dead one has its turn later', async () => {
  const clock = createManualClock()
  const { port } = await startTarget()
  const [first, second] = [await openProxy(), await openProxy({ protocol: 'socks5' })]
  const dead = `http://${await findClosedAddress()}`
  const proxies = openProxies([first.url, dead, second.url].join(), { clock })
  const askOnce = () => ask(`http://${NAME}:${port}/`, proxies)
  const used: string[] = []
  const record = async () => {
    expect(await askOnce()).toMatchObject({ outcome: 'answered' })
    used.push(proxies.usedName())
  }

  await record()
  await first.kill()
  await record()
  await first.revive()
  await record()
  await second.kill()
  await record()
  await second.revive()
  clock.advance(61_000)
  await record()
  await first.kill()
  await record()

  const [one, two] = [first.url, second.url]
  expect(used).toEqual([one, two, two, one, one, two])
})

test('without a proxy that works nothing was sent, and the error says what became of each', async () => {
  const { port } = await startTarget()
  const silent = await startTcpServer()
  const noProxy = await startTcpServer((socket) => socket.end('Hello!'))
  const lost = await openProxy({ protocol: 'socks5', names: {} })
  const { lines, log } = openLog()
  const list = [
    `http://${await findClosedAddress()}`,
    `socks5://${silent.address}`,
    `http://${noProxy.address}`,
    lost.url,
  ]

  const exchange = await ask(`http://${NAME}:${port}/`, openProxies(list.join(), { log }), {
    connectMs: 1_000,
  })

  const reasons = [
    'ECONNREFUSED',
    'timed out',
    'HTTPParserError',
    'Socks5 proxy rejected connection - HostUnreachable',
  ]
  expect(exchange.outcome).toBe('unsent')
  expect(causeOf(exchange)).toMatchObject({ code: 'EPROXY' })
  expect(lines.map(({ reason }) => reason)).toEqual(reasons)
  expect(String(causeOf(exchange))).toMatch(
    `ProxiesFailedError: Cannot connect to ${NAME}:${port}: ${list[0]} ECONNREFUSED, ${list[1]} timed out, `,
  )
})

test.each(PROTOCOLS)(
  'a request that was cut off in its proxy by %s is lost, and not repeated',
  async (protocol) => {
    const reached = Promise.withResolvers<void>()
    const target = await startServer(() => reached.resolve())
    const port = portOf(target.baseUrl)
    const [first, second] = [await openProxy({ protocol }), await openProxy()]
    const proxies = openProxies(`${first.url},${second.url}`)

    const asking = ask(`http://${NAME}:${port}/`, proxies)
    await reached.promise
    await first.kill()

    expect(await asking).toMatchObject({ outcome: 'lost' })
    expect(target.requests).toHaveLength(1)
    expect(second.asked).toEqual([])
  },
)

function openProxy(options: ProxyOptions = {}): Promise<ProxyServer> {
  return startProxyServer({ names: NAMES, certificate: PROXY_CERTIFICATE, ...options })
}

function get(url: string) {
  return { method: 'GET', url, headers: {}, headersMs: 5_000 } as const
}

async function ask(url: string, proxies: Proxies, { connectMs = CONNECT_MS } = {}) {
  const http = createHttpClient({ ...TIMEOUTS, connectMs, proxies })
  onTestFinished(http.close)
  const exchange = await http.open(get(url))
  return exchange.outcome === 'answered' ? await readWholeAnswer(exchange, 1_000) : exchange
}

function causeOf(exchange: Awaited<ReturnType<typeof ask>>): unknown {
  return exchange.outcome === 'answered' ? undefined : exchange.cause
}

function openLog() {
  const lines: { message: string; reason?: unknown }[] = []
  const write = (fields: object, message: string) => void lines.push({ ...fields, message })
  return { lines, log: { warn: write, error: write } }
}

async function startTarget() {
  const { baseUrl } = await startServer((response, { path }) => void response.end(path))
  return { port: portOf(baseUrl) }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

async function startSecureTarget(): Promise<number> {
  const server = createHttpsServer(TARGET_CERTIFICATE, ({ url }, response) => response.end(url))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

function trusted(name: string): { key: string; cert: string } {
  const made = makeSelfSigned(name)
  setDefaultCACertificates([...getCACertificates('default'), made.cert])
  return made
}

test('parseProxies() reads each proxy of a list, with the port that its scheme has anyway', () => {
  const list =
    'http://a.lan, https://b.lan:8443/,socks5://C.lan ,SOCKS5H://[::1]:9050,http://d.lan:443'

  const read = parseProxies(list)

  expect(read).toMatchObject([
    { name: 'http://a.lan:80', protocol: 'http', host: 'a.lan', port: 80 },
    { name: 'https://b.lan:8443', protocol: 'https', host: 'b.lan', port: 8443 },
    { name: 'socks5://c.lan:1080', protocol: 'socks5', host: 'c.lan', port: 1080 },
    { name: 'socks5://[::1]:9050', protocol: 'socks5', host: '::1', port: 9050 },
    { name: 'http://d.lan:443', protocol: 'http', host: 'd.lan', port: 443 },
  ])
})

test('parseProxies() reads user and password, and leaves them out of the name', () => {
  const read = parseProxies('socks5://us%40er:p%2Ca%25s%3Aä@h:1,http://only@h:2,http://:pw@h:3')

  expect(read).toMatchObject([
    { name: 'socks5://h:1', credentials: { user: 'us@er', password: 'p,a%s:ä' } },
    { name: 'http://h:2', credentials: { user: 'only', password: '' } },
    { name: 'http://h:3', credentials: { user: '', password: 'pw' } },
  ])
})

test.each([
  ...['', 'proxy.lan:3128', 'socks4://proxy.lan', 'http://', 'socks5://user:pw@'],
  ...['http://proxy.lan:99999', 'http://user:p w@proxy.lan:3128', 'http://proxy.lan:3128/path'],
  'http://user:p%w@proxy.lan:3128',
])('parseProxies() refuses "%s"', (text) => {
  expect(parseProxies(text)).toBeUndefined()
})
