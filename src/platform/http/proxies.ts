import { isIP, type Socket } from 'node:net'
import { socksConnector } from 'fetch-socks'
import ipaddr from 'ipaddr.js'
import { buildConnector, Client } from 'undici'
import { foldRepeats, type TroubleLog } from '../fold-repeats.ts'
import { type Clock, systemClock } from '../time/clock.ts'

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const
const PROXIES_FAILED = 'EPROXY'

const REST_MS = 60_000
/** Longest time for one connection through all proxies: less than a call to Telegram waits. */
const WHOLE_MS_MAX = 25_000
const KEEP_ALIVE_MS = 60_000

export interface ProxyAddress {
  /** Its scheme, host and port, without user and password. */
  name: string
  protocol: 'http' | 'https' | 'socks5'
  host: string
  port: number
  credentials: { user: string; password: string } | undefined
}

class ProxiesFailedError extends Error {
  override readonly name = 'ProxiesFailedError'
  readonly code = PROXIES_FAILED
}

type Target = buildConnector.Options

export interface ProxiesDeps {
  addresses: readonly ProxyAddress[]
  log?: TroubleLog | undefined
  clock?: Pick<Clock, 'now'>
}

export type Proxies = ReturnType<typeof createProxies>

/**
 * Opens connections through the first proxy that works, and stays with that proxy until it fails.
 *
 * A request is sent only on an open connection, TLS to the target included, so the next proxy repeats nothing.
 */
export function createProxies({ addresses, log, clock = systemClock }: ProxiesDeps) {
  const troubles = log && foldRepeats(log)
  const restsUntil = new Map<ProxyAddress, number>()
  const [first] = addresses
  if (first === undefined) throw new RangeError('Cannot create proxies: there is none')
  let used = first
  return { connectWithin, leadTo, usedName: () => used.name }

  function connectWithin(connectMs: number): buildConnector.connector {
    const connectDirectly = buildConnector({ timeout: connectMs, allowH2: false })
    return (target, done) => {
      if (!leadTo(target.hostname)) {
        connectDirectly(target, done)
        return
      }
      open(target, connectMs).then(
        (socket) => done(null, socket),
        (error) => done(error, null),
      )
    }
  }

  async function open(target: Target, connectMs: number): Promise<Socket> {
    const failures: string[] = []
    const untilMs = clock.now() + WHOLE_MS_MAX
    for (const proxy of inOrder()) {
      const leftMs = untilMs - clock.now()
      if (leftMs <= 0) break
      try {
        const socket = await openThrough(proxy, target, Math.min(connectMs, leftMs))
        restsUntil.delete(proxy)
        used = proxy
        return socket
      } catch (error) {
        const reason = toReason(error)
        failures.push(`${proxy.name} ${reason}`)
        restsUntil.set(proxy, clock.now() + REST_MS)
        troubles?.warn({ reason }, `cannot connect through the proxy ${proxy.name}`)
      }
    }
    throw new ProxiesFailedError(`Cannot connect to ${toAuthority(target)}: ${failures.join(', ')}`)
  }

  function leadTo(hostname: string): boolean {
    return !isThisMachine(hostname)
  }

  function inOrder(): ProxyAddress[] {
    const at = addresses.indexOf(used)
    const all = [...addresses.slice(at), ...addresses.slice(0, at)]
    const rests = (proxy: ProxyAddress) => (restsUntil.get(proxy) ?? 0) > clock.now()
    return [...all.filter((proxy) => !rests(proxy)), ...all.filter(rests)]
  }
}

async function openThrough(proxy: ProxyAddress, target: Target, withinMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const signal = AbortSignal.timeout(Math.ceil(withinMs))
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  const connect = proxy.protocol === 'socks5' ? bySocks(proxy, withinMs) : byConnect(proxy, signal)
  connect(target, (error, socket) => {
    if (error !== null) reject(error)
    else if (signal.aborted) socket.destroy()
    else resolve(socket)
  })
  const socket = await promise
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
}

function bySocks({ host, port, credentials }: ProxyAddress, timeout: number) {
  const login = credentials && { userId: credentials.user, password: credentials.password }
  return socksConnector({ type: 5, host, port, ...login }, { timeout, allowH2: false })
}

/** Sends CONNECT as undici's `ProxyAgent` does, which is a dispatcher and could not fail over to another proxy. */
function byConnect(proxy: ProxyAddress, signal: AbortSignal): buildConnector.connector {
  const { name, host, credentials } = proxy
  const secure = buildConnector({ allowH2: false })
  return async (target, done) => {
    const client = new Client(name, { connect: { allowH2: false } })
    const authority = toAuthority(target)
    const pair = credentials && `${credentials.user}:${credentials.password}`
    const basic = Buffer.from(pair ?? '').toString('base64')
    const login = credentials && { 'proxy-authorization': `Basic ${basic}` }
    const asked = {
      path: authority,
      headers: { host: authority, ...login },
      // Otherwise TLS would check the proxy's certificate against the host in the headers.
      servername: isIP(host) === 0 ? host : '',
      signal,
    }
    try {
      const { statusCode, socket } = await client.connect(asked)
      if (statusCode < 200 || statusCode >= 300) {
        socket.on('error', () => {}).destroy()
        throw new RefusedError(`answered ${statusCode}`)
      }
      const tunnel = socket as Socket
      if (target.protocol === 'https:') secure({ ...target, httpSocket: tunnel }, done)
      else done(null, tunnel)
    } catch (error) {
      done(error as Error, null)
    } finally {
      void client.close()
    }
  }
}

class RefusedError extends Error {}

function toAuthority({ hostname, protocol, port }: Target): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`
}

export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback'
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

/** Describes a failure without quoting it. Only messages of SOCKS errors and of `RefusedError` are known to be safe. */
function toReason(error: unknown): string {
  const { name, code, message, constructor: type } = error as NodeJS.ErrnoException
  if (error instanceof RefusedError || type.name === 'SocksClientError') return message
  return name === 'TimeoutError' ? 'timed out' : String(code ?? name)
}

/** The words for a list that `parseProxies()` refuses. They quote nothing: a URL may hold a password. */
export const PROXY_WORDS =
  'http://, https:// or socks5:// URLs with commas between: http://user:password@host:3128; in a password % @ : / ? # , are %25 %40 %3A %2F %3F %23 %2C'

export function parseProxies(list: string): readonly ProxyAddress[] | undefined {
  const proxies = list.split(',').map((text) => parseProxy(text.trim()))
  return proxies.every((proxy) => proxy !== undefined) ? proxies : undefined
}

function parseProxy(text: string): ProxyAddress | undefined {
  const url = /^(?:https?|socks5h?):\/\/[^/\\\s]\S*$/i.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === '' || url.port === '0') return undefined
  if (url.pathname.length > 1 || url.search + url.hash !== '') return undefined
  // `socks5h` asks the proxy to resolve names, as every proxy does here.
  const protocol = url.protocol.slice(0, -1).replace('5h', '5') as ProxyAddress['protocol']
  const hostname = url.hostname.toLowerCase()
  const port = Number(url.port) || DEFAULT_PORTS[protocol]
  const address = { name: `${protocol}://${hostname}:${port}`, protocol, port }
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  try {
    const [user, password] = [url.username, url.password].map(decodeURIComponent)
    if (!user && !password) return { ...address, host, credentials: undefined }
    return { ...address, host, credentials: { user: user ?? '', password: password ?? '' } }
  } catch {
    return undefined
  }
}
