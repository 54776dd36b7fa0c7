import { isIP, type Socket } from 'node:net'
import { socksConnector } from 'fetch-socks'
import ipaddr from 'ipaddr.js'
import { buildConnector, Client } from 'undici'
import { foldRepeats, type TroubleLog } from '../fold-repeats.ts'
import { type Clock, systemClock } from '../time/clock.ts'

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const
const PROXIES_FAILED = 'EPROXY'

const REST_MS = 60_000
/** How long one connection may take in all: less than a call to Telegram waits, which otherwise counts as sent. */
const WHOLE_MS_MAX = 25_000
const KEEP_ALIVE_MS = 60_000

/** A proxy through which an operator has connections opened. Only its `name` may be shown. */
export interface ProxyAddress {
  /** Its scheme, host and port, without user and password. */
  name: string
  protocol: 'http' | 'https' | 'socks5'
  host: string
  port: number
  credentials: { user: string; password: string } | undefined
}

/** No proxy opened a connection: not a byte of a request went out. */
class ProxiesFailedError extends Error {
  override readonly name = 'ProxiesFailedError'
  readonly code = PROXIES_FAILED
}

type Target = buildConnector.Options

export interface ProxiesDeps {
  addresses: readonly ProxyAddress[]
  log?: TroubleLog | undefined
  /** True if servers of this machine are reached through them, too. Default false: a proxy takes `localhost` for itself. */
  leadToThisMachine?: boolean
  clock?: Pick<Clock, 'now'>
}

/** Proxies that connections go through, and no other way. */
export type Proxies = ReturnType<typeof createProxies>

/**
 * Opens connections through the first of several proxies that opens one, TLS to the target included, and keeps to
 * that proxy until it fails. A request goes out only when its connection is open, so trying the next one repeats nothing.
 */
export function createProxies({
  addresses,
  log,
  leadToThisMachine = false,
  clock = systemClock,
}: ProxiesDeps) {
  const troubles = log && foldRepeats(log)
  const restsUntil = new Map<ProxyAddress, number>()
  const [first] = addresses
  if (first === undefined) throw new RangeError('Cannot create proxies: there is none')
  let used = first
  return { connectWithin, leadTo, usedName }

  /**
   * Returns how undici opens connections: TLS to the target included, and directly to hosts that `leadTo()` leaves out.
   * It fails with a `ProxiesFailedError` if no proxy opens one.
   *
   * @param connectMs How long it may take through one proxy.
   */
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
    return leadToThisMachine || !isThisMachine(hostname)
  }

  /** The name of the proxy that opened the last connection, or else is tried first. It holds no password. */
  function usedName(): string {
    return used.name
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

/** Asks an HTTP proxy, as undici's `ProxyAgent` does, which however is a dispatcher and could not take turns with others. */
function byConnect(proxy: ProxyAddress, signal: AbortSignal): buildConnector.connector {
  const { name, host, credentials } = proxy
  const secure = buildConnector({ allowH2: false })
  return async (target, done) => {
    const client = new Client(name, { connect: { allowH2: false } })
    const authority = toAuthority(target)
    const login = credentials && { 'proxy-authorization': basic(credentials) }
    const asked = {
      path: authority,
      headers: { host: authority, ...login },
      // Otherwise TLS would ask the proxy for the certificate of the host in the headers.
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
      // The tunnel is no longer the client's.
      void client.close()
    }
  }
}

/** Its message has nothing but what the proxy answered. */
class RefusedError extends Error {}

function basic({ user, password }: NonNullable<ProxyAddress['credentials']>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function toAuthority({ hostname, protocol, port }: Target): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** Checks whether the host of a URL is this machine by its name or its address. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback'
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

/** Describes a failure without a word of what the error may quote. Errors of SOCKS have messages of their own alone. */
function toReason(error: unknown): string {
  const { name, code, message, constructor: type } = error as NodeJS.ErrnoException
  if (error instanceof RefusedError || type.name === 'SocksClientError') return message
  return name === 'TimeoutError' ? 'timed out' : String(code ?? name)
}

/**
 * Reads a list of proxies: URLs with commas between.
 *
 * @returns The proxies in their order, or every problem, in words that quote nothing: a URL may hold a password.
 */
export function parseProxies(
  list: string,
): { value: readonly ProxyAddress[] } | { problems: readonly string[] } {
  const parts = list.split(',').map((part) => parseProxy(part.trim()))
  const problems = parts.flatMap((part, index) => {
    if (typeof part !== 'string') return []
    return [parts.length === 1 ? part : `proxy ${index + 1} of ${parts.length} ${part}`]
  })
  if (problems.length > 0) return { problems }
  return { value: parts.filter((part) => typeof part !== 'string') }
}

function parseProxy(text: string): ProxyAddress | string {
  if (text === '') return 'should not be empty'
  const [scheme] = /^(?:https?|socks5h?):\/\//i.exec(text) ?? []
  if (scheme === undefined) return 'should begin with http://, https:// or socks5://'
  const rest = text.slice(scheme.length)
  // The parser knows hosts only where the scheme is one of the web's.
  const url = /^[/\\]|\s/.test(rest) ? null : URL.parse(`http://${rest}`)
  const protocol = toProtocol(scheme)
  const port = readPort(rest) ?? DEFAULT_PORTS[protocol]
  if (url === null || port === 0) {
    return 'should have a host and a port, as in http://user:password@host:3128'
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return 'should have nothing after its port; in a password @ : / ? # , are %40 %3A %2F %3F %23 %2C'
  }
  const credentials = readCredentials(url)
  if (credentials === 'unreadable') return 'should have % in a password as %25'
  return {
    name: `${protocol}://${url.hostname}:${port}`,
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    credentials,
  }
}

/** With `socks5h` other programs leave names to the proxy. Here every proxy is left them. */
function toProtocol(scheme: string): ProxyAddress['protocol'] {
  const [name] = scheme.toLowerCase().split(':')
  return name === 'http' || name === 'https' ? name : 'socks5'
}

/** Reads the port as it is written: the parser leaves out the one that its scheme has anyway. */
function readPort(rest: string): number | undefined {
  const [, port] = /:(\d+)\/?$/.exec(rest) ?? []
  return port === undefined ? undefined : Number(port)
}

function readCredentials({ username, password }: URL): ProxyAddress['credentials'] | 'unreadable' {
  if (username === '' && password === '') return undefined
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return 'unreadable'
  }
}
