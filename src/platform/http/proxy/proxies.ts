import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { foldRepeats, type TroubleLog } from '../../fold-repeats.ts'
import { type Clock, systemClock } from '../../time/clock.ts'
import type { ProxyAddress, TunnelTarget } from './proxy-address.ts'
import { openTunnel } from './tunnel.ts'
import { TunnelRefusedError } from './tunnel-refused.ts'

/** The code of a connection that no proxy opened, beside the system's own codes. */
const PROXIES_FAILED = 'EPROXY'

/** How long a proxy that failed is tried after the others. */
const REST_MS = 60_000
/** How long one connection may take in all: less than a call to Telegram waits, which otherwise counts as sent. */
const WHOLE_MS_MAX = 25_000
const KEEP_ALIVE_MS = 60_000

/** No proxy opened a connection: not a byte of a request went out. */
class ProxiesFailedError extends Error {
  override readonly name = 'ProxiesFailedError'
  readonly code = PROXIES_FAILED
}

/** A server to connect to. */
export interface ConnectTarget extends TunnelTarget {
  isTls: boolean
}

export interface ProxiesDeps {
  /** At least one, in the order in which they are tried. */
  addresses: readonly ProxyAddress[]
  /** Gets each failure; without it they are in the error alone. */
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
  return { open, leadTo, usedName }

  /**
   * Opens a connection: of TLS to the target where that speaks it.
   *
   * @param connectMs How long it may take through one proxy.
   * @throws {ProxiesFailedError} If no proxy opens one.
   */
  async function open(target: ConnectTarget, connectMs: number): Promise<Socket> {
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
    const { host, port } = target
    throw new ProxiesFailedError(`Cannot connect to ${host}:${port}: ${failures.join(', ')}`)
  }

  /** Checks whether connections to a host, as a URL has it, go through the proxies. The others are opened directly. */
  function leadTo(hostname: string): boolean {
    return leadToThisMachine || !isThisMachine(hostname)
  }

  /** The name of the proxy that opened the last connection, or else is tried first. It holds no password. */
  function usedName(): string {
    return used.name
  }

  /** The one in use comes first, then those after it, then the first ones; those that failed lately come last. */
  function inOrder(): ProxyAddress[] {
    const at = addresses.indexOf(used)
    const all = [...addresses.slice(at), ...addresses.slice(0, at)]
    const rests = (proxy: ProxyAddress) => (restsUntil.get(proxy) ?? 0) > clock.now()
    return [...all.filter((proxy) => !rests(proxy)), ...all.filter(rests)]
  }
}

async function openThrough(
  proxy: ProxyAddress,
  target: ConnectTarget,
  withinMs: number,
): Promise<Socket> {
  const signal = AbortSignal.timeout(Math.ceil(withinMs))
  const tunnel = await openTunnel(proxy, target, signal)
  tunnel.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
  return target.isTls ? await secure(tunnel, target, signal) : tunnel
}

/** Begins TLS with the target, whose certificate is checked as without a proxy. */
async function secure(
  tunnel: Socket,
  { host }: ConnectTarget,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectTls({
    socket: tunnel,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  })
  const end = () => socket.destroy(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    const secured = once(socket, 'secureConnect')
    socket.on('error', () => {})
    await secured
    return socket
  } catch (error) {
    tunnel.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Checks whether the host of a URL is this machine by its name or its address. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback'
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

/** Describes a failure without a word of what the error may quote. */
function toReason(error: unknown): string {
  if (error instanceof TunnelRefusedError) return error.message
  const { name, code } = error as NodeJS.ErrnoException
  return name === 'TimeoutError' ? 'timed out' : String(code ?? name)
}
