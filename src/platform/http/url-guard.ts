/**
 * Keeps requests to foreign URLs out of private networks.
 *
 * In: the URL of a stranger. Out: the only addresses that a connection may use, or a refusal. A redirect is a new URL.
 */
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { settleWithin } from '../time/graceful-stop.ts'
import type { Proxies } from './proxies.ts'

const RESOLVE_MS_MAX = 5000

export type Resolve = (hostname: string) => Promise<readonly { address: string }[]>

export interface UrlGuard {
  allow: ReadonlySet<AllowedPair>
  /** A URL of our own that ends with a slash: all URLs below it are allowed. */
  allowBelow?: string | undefined
  resolve?: Resolve | undefined
  resolveMsMax?: number
  proxies?: Proxies | undefined
}

export interface Target {
  url: URL
  addresses: readonly string[]
  proxies?: Proxies | undefined
}

export interface RefusedUrl {
  refusal: 'bad_url' | 'not_public'
  problem: string
  /** False if the name may be found later. */
  isLasting: boolean
}

/** One sentence for all cases: a caller must not learn the addresses inside this network. */
const NOT_PUBLIC = 'must have a host that is found, and at public addresses only'

/**
 * A name may change its addresses, so each request needs a new call. A proxy resolves names itself and has to guard
 * its own network; only the URL is checked here.
 */
export async function findTarget(
  text: string,
  {
    resolve = (name) => lookup(name, { all: true }),
    resolveMsMax = RESOLVE_MS_MAX,
    proxies,
    ...guard
  }: UrlGuard,
): Promise<Target | RefusedUrl> {
  const allow = allowedFor(text, guard)
  const read = readOutsideUrl(text, allow)
  if ('problem' in read) return { refusal: 'bad_url', problem: read.problem, isLasting: true }
  const { url } = read
  const isProxied = proxies?.leadTo(url.hostname) ?? false
  if (isProxied && toAddress(url) === undefined) return { url, addresses: [], proxies }
  const addresses = await findAddresses(url, resolve, resolveMsMax)
  const isFound = addresses.length > 0
  const isAllowed = isFound && (allow.has(toPair(url)) || addresses.every(isPublicAddress))
  if (!isAllowed) return { refusal: 'not_public', problem: NOT_PUBLIC, isLasting: isFound }
  return { url, addresses, ...(isProxied && { proxies }) }
}

async function findAddresses(url: URL, resolve: Resolve, msMax: number) {
  const address = toAddress(url)
  if (address !== undefined) return [address]
  let found: string[] = []
  const resolving = resolve(url.hostname).then((addresses) => {
    found = addresses.map(({ address }) => address)
  })
  await settleWithin([resolving], msMax)
  return found
}

function allowedFor(
  text: string,
  { allow, allowBelow }: Pick<UrlGuard, 'allow' | 'allowBelow'>,
): ReadonlySet<AllowedPair> {
  const url = URL.parse(text)
  const isBelow = url !== null && allowBelow !== undefined && url.href.startsWith(allowBelow)
  return isBelow ? new Set([...allow, toPair(url)]) : allow
}

export function lookupAmong({ addresses }: Pick<Target, 'addresses'>): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, done) => {
    queueMicrotask(() => {
      if (options.all) done(null, found)
      else done(null, found[0]?.address ?? '', found[0]?.family)
    })
  }
}

const PAIR = /^((?:\[[\da-f:.]+\])|[^\s:@/?#\\[\]]+):(\d{1,5})$/i
const HOST_CHARS_MAX = 253
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/

/** https://www.iana.org/assignments/special-use-domain-names */
const SPECIAL_NAMES = [
  ...['alt', 'example', 'home.arpa', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test'],
  // Not registered, but common in private networks.
  ...['corp', 'home', 'intranet', 'lan', 'private'],
]

/** Ports of databases and of services that obey every caller. Below 1024 only 80 and 443 speak HTTP. */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  ...[1433, 1521, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 4243, 5432, 5900, 5984, 6000],
  ...[6379, 8500, 9042, 9092, 9200, 9300, 10_250, 10_255, 11_211, 27_017, 27_018, 27_019, 28_015],
])
const OPEN_LOW_PORTS = [80, 443]
const LOW_PORT_MAX = 1023

/** In a public range, but Azure's agent and metadata server. */
const AZURE_ADDRESS = '168.63.129.16'

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** A host and a port, such as `receiver.lan:8080` or `[::1]:8080`. */
export type AllowedPair = string

export function parseAllowedPair(text: string): AllowedPair | undefined {
  const [, host, port] = PAIR.exec(text) ?? []
  const url = URL.parse(`http://${host}`)
  if (host === undefined || url === null || Number(port) < 1 || Number(port) > 65_535) {
    return undefined
  }
  return `${url.hostname}:${Number(port)}`
}

function readOutsideUrl(
  text: string,
  allow: ReadonlySet<AllowedPair>,
): { url: URL } | { problem: string } {
  // The parser below would correct an odd spelling, perhaps to a host that its author did not mean.
  if (!/^https?:\/\/[^/?#]/i.test(text) || !/^[!-[\]-~]*$/.test(text)) {
    return { problem: 'must be an http or https URL of ASCII characters, without spaces' }
  }
  const url = URL.parse(text)
  if (url === null) return { problem: 'must be an http or https URL' }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return { problem: 'must not have a user or password' }
  if (allow.has(toPair(url))) return { url }
  const port = Number(url.port || 80)
  if (REFUSED_PORTS.has(port) || (port <= LOW_PORT_MAX && !OPEN_LOW_PORTS.includes(port))) {
    return { problem: `must not have port ${url.port}` }
  }
  if (toAddress(url) === undefined && !isFullName(url.hostname)) {
    return { problem: 'must have the full name or the address of a public host' }
  }
  return { url }
}

/** Checks that a URL does not name this machine or a private network. No name is resolved. */
export function isPublicUrl(text: string): boolean {
  const read = readOutsideUrl(text, new Set())
  if ('problem' in read) return false
  const address = toAddress(read.url)
  return address === undefined || isPublicAddress(address)
}

function toAddress({ hostname }: URL): string | undefined {
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

function toPair({ protocol, hostname, port }: URL): AllowedPair {
  const defaultPort = protocol === 'https:' ? '443' : '80'
  return `${hostname}:${port || defaultPort}`
}

const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Returns the pairs that the links of a server to itself may have: of this machine all its names. */
export function toOwnPairs(text: string): AllowedPair[] {
  const url = new URL(text)
  const hosts = LOOPBACK_HOSTS.includes(url.hostname) ? LOOPBACK_HOSTS : [url.hostname]
  return hosts.map((host) => toPair(url).replace(url.hostname, host))
}

/** Refuses also an IPv6 address for an IPv4 address (mapped, translated, 6to4, Teredo). */
function isPublicAddress(text: string): boolean {
  // The library alone would accept short forms such as 1.2.3.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST)
  return address.toString() !== AZURE_ADDRESS
}
