import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'

interface ForwardedRequest {
  ip: string
  headers: IncomingHttpHeaders
}

/** @returns The address or network of a proxy, `10.0.0.7` or `10.0.0.0/8`; undefined for a text that is neither. */
export function parseProxy(text: string): string | undefined {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text) ? text : undefined
}

/**
 * Finds the address that a request comes from: that of its peer, or, where the peer is a trusted proxy, the last one
 * in `X-Forwarded-For` that is none. What others write into that header counts for nothing.
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

/** Finds the scheme by which a client asked: `http` unless a trusted proxy says by `X-Forwarded-Proto` that it ended TLS. */
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
