import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'

interface ForwardedRequest {
  ip: string
  headers: IncomingHttpHeaders
}

/** Reads the address or network of a proxy, `10.0.0.7` or `10.0.0.0/8`. */
export function parseProxy(text: string): string | undefined {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text) ? text : undefined
}

/**
 * Finds the client's address: the peer, or behind trusted proxies the last address in `X-Forwarded-For` that is not
 * a trusted proxy. Addresses before it may be forged.
 */
export function clientAddressOf(
  { ip, headers }: ForwardedRequest,
  trustedProxies: readonly string[],
): string {
  const named = String(headers['x-forwarded-for'] ?? '').split(',')
  let client = ip
  while (isTrusted(client, trustedProxies)) {
    const before = named.pop()?.trim()
    if (before === undefined || !ipaddr.isValid(before)) break
    client = before
  }
  return client
}

/** Finds the client's scheme: `https` only if a trusted proxy reports it by `X-Forwarded-Proto`. */
export function schemeOf(
  { ip, headers }: ForwardedRequest,
  trustedProxies: readonly string[],
): 'http' | 'https' {
  const isTls = isTrusted(ip, trustedProxies) && headers['x-forwarded-proto'] === 'https'
  return isTls ? 'https' : 'http'
}

function isTrusted(address: string, trustedProxies: readonly string[]): boolean {
  const given = ipaddr.process(address)
  return trustedProxies.some((proxy) => {
    const [network, bits] = proxy.includes('/')
      ? ipaddr.parseCIDR(proxy)
      : [ipaddr.process(proxy), undefined]
    if (network.kind() !== given.kind()) return false
    return bits === undefined
      ? network.toNormalizedString() === given.toNormalizedString()
      : given.match(network, bits)
  })
}
