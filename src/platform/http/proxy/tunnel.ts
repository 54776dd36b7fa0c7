import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect, isIP, isIPv6, type Socket } from 'node:net'
import type { ProxyAddress, TunnelTarget } from './proxy-address.ts'
import { askSocks } from './socks5.ts'
import { TunnelRefusedError } from './tunnel-refused.ts'

/**
 * Opens a connection to a target through a proxy. The proxy finds the addresses of a name; no resolver is asked
 * here but for the proxy's own.
 *
 * @param signal Ends the attempt, and its connection. It has no effect on a tunnel that is open.
 * @throws {TunnelRefusedError} If the proxy refuses; otherwise the system's error, or the signal's reason.
 */
export async function openTunnel(
  proxy: ProxyAddress,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted()
  const open = proxy.protocol === 'socks5' ? openBySocks : openByConnect
  const tunnel = await open(proxy, target, signal)
  // Until it is taken over it has no reader who could see an error.
  return tunnel.on('error', () => {})
}

/** Opens it by the `CONNECT` of an HTTP proxy, which is asked over TLS where it is an https one. */
async function openByConnect(
  { protocol, host, port, credentials }: ProxyAddress,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`
  const request = (protocol === 'https' ? requestHttps : requestHttp)({
    method: 'CONNECT',
    host,
    port,
    path: authority,
    headers: { host: authority, ...(credentials && { 'proxy-authorization': basic(credentials) }) },
    // Otherwise TLS would ask the proxy for the certificate of the host in the headers.
    servername: isIP(host) === 0 ? host : '',
    agent: false,
  })
  const end = () => request.destroy(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    const connected = once(request, 'connect')
    request.on('error', () => {}).end()
    const [{ statusCode }, socket, early] = await connected
    if (statusCode >= 200 && statusCode < 300) {
      if (early.length > 0) socket.unshift(early)
      return socket
    }
    socket.on('error', () => {}).destroy()
    throw new TunnelRefusedError(`answered ${statusCode}`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function basic({ user, password }: NonNullable<ProxyAddress['credentials']>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

async function openBySocks(
  { host, port, credentials }: ProxyAddress,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({ host, port })
  const end = () => socket.destroy(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    const connected = once(socket, 'connect')
    socket.on('error', () => {})
    await connected
    await askSocks(socket, { credentials, target })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', end)
  }
}
