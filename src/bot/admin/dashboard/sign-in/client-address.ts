import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * Finds the address that a request comes from. A peer in a private network is taken for the operator's proxy, and
 * the last address that the proxy names for the client: otherwise a stranger's tries would lock out everybody who
 * comes by the same proxy.
 */
export function clientAddressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  if (forwarded === undefined || !ipaddr.isValid(forwarded)) return ip
  return ipaddr.process(ip).range() === 'unicast' ? ip : forwarded
}
