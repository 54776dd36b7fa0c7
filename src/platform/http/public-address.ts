import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Public by its range, but inside a cloud it is the platform's own agent and metadata server. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])

/** All of IPv6 that is handed out to the public; the rest is of special use or of none. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Checks whether an address is a public host's: not private, loopback, link-local, shared, multicast, reserved
 * or for documentation, and not an IPv6 address that leads to an IPv4 one (mapped, translated, 6to4, Teredo).
 *
 * @param text As a resolver writes it. What is no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  // The library alone would take short forms, such as 1.2.3, which leave the reader to guess.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST)
  return !PLATFORM_ADDRESSES.has(address.toString())
}
