import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const PAIR = /^((?:\[[\da-f:.]+\])|[^\s:@/?#\\[\]]+):(\d{1,5})$/i
const HOST_CHARS_MAX = 253
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/

/**
 * Top-level and other names that never lead to a public host.
 *
 * @see https://www.iana.org/assignments/special-use-domain-names
 */
const SPECIAL_NAMES = [
  ...['alt', 'example', 'home.arpa', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test'],
  // Not registered, but used inside of houses and companies.
  ...['corp', 'home', 'intranet', 'lan', 'private'],
]

/**
 * Ports of well-known services that do not speak HTTP: those a browser refuses, with remote desktops
 * and databases; and of those that do, and often obey every caller: Docker, etcd, Consul,
 * kubelets, search engines. 0 is no port.
 *
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601],
  ...[636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
  ...[445, 1433, 1521, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4243, 5432, 5900, 5984],
  ...[6379, 8500, 9042, 9092, 9200, 9300, 10_250, 10_255, 11_211, 27_017, 27_018, 27_019, 28_015],
])

/** Public by its range, but inside a cloud it is the platform's own agent and metadata server. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])

/** All of IPv6 that is handed out to the public; the rest is of special use or of none. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** A host and a port as the guard compares them: `receiver.lan:8080`, `[::1]:8080`. */
export type AllowedPair = string

/** @returns What `host:port` means as a pair; undefined if it is none. */
export function parseAllowedPair(text: string): AllowedPair | undefined {
  const [, host, port] = PAIR.exec(text) ?? []
  const url = URL.parse(`http://${host}`)
  if (host === undefined || url === null || Number(port) < 1 || Number(port) > 65_535) {
    return undefined
  }
  return `${url.hostname}:${Number(port)}`
}

/**
 * Reads a URL that somebody else named, and judges all that does not need its host's addresses.
 *
 * @param allow Pairs that may be a private host and any port.
 * @returns The URL, or what is wrong with it in words for the one who named it.
 */
export function readOutsideUrl(
  text: string,
  allow: ReadonlySet<AllowedPair>,
): { url: URL } | { problem: string } {
  // The parser below mends what is written oddly; what is odd is not what its writer means.
  if (!/^https?:\/\/[^/?#]/i.test(text) || !/^[!-[\]-~]*$/.test(text)) {
    return { problem: 'must be an http or https URL of ASCII characters, without spaces' }
  }
  const url = URL.parse(text)
  if (url === null) return { problem: 'must be an http or https URL' }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return { problem: 'must not have a user or password' }
  if (allow.has(toPair(url))) return { url }
  if (url.port !== '' && REFUSED_PORTS.has(Number(url.port))) {
    return { problem: `must not have port ${url.port}` }
  }
  if (toAddress(url) === undefined && !isFullName(url.hostname)) {
    return { problem: 'must have the full name or the address of a public host' }
  }
  return { url }
}

/**
 * Checks whether the host of a URL may be a public one: it is not plainly of this machine or of a private
 * network. A name is not looked up.
 */
export function isPublicUrl(text: string): boolean {
  const read = readOutsideUrl(text, new Set())
  if ('problem' in read) return false
  const address = toAddress(read.url)
  return address === undefined || isPublicAddress(address)
}

/** The host of a URL, if it is an address. The parser turns every spelling of one into the plain one. */
export function toAddress({ hostname }: URL): string | undefined {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(literal) === 0 ? undefined : literal
}

function isFullName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  const labels = name.split('.')
  if (labels.length < 2 || name.length > HOST_CHARS_MAX) return false
  if (!labels.every((label) => LABEL.test(label))) return false
  return !SPECIAL_NAMES.some((special) => `.${name}`.endsWith(`.${special}`))
}

/** The pair that an http(s) URL leads to, its port written out. */
export function toPair({ protocol, hostname, port }: URL): AllowedPair {
  const defaultPort = protocol === 'https:' ? '443' : '80'
  return `${hostname}:${port || defaultPort}`
}

/** Names of this very machine. One program may be reached by one of them and call itself by another. */
const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** The pairs that a server's links to itself may have, which is at the http(s) URL. */
export function toOwnPairs(text: string): AllowedPair[] {
  const url = new URL(text)
  const hosts = LOOPBACK_HOSTS.includes(url.hostname) ? LOOPBACK_HOSTS : [url.hostname]
  return hosts.map((host) => toPair(url).replace(url.hostname, host))
}

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
