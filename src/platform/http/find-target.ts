import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { settleWithin } from '../time/graceful-stop.ts'
import {
  type AllowedPair,
  isPublicAddress,
  readOutsideUrl,
  toAddress,
  toPair,
} from './outside-url.ts'
import type { Proxies } from './proxies.ts'

const RESOLVE_MS_MAX = 5000

/** Finds every address of a name. An unknown name has none, or the resolver rejects. */
export type Resolve = (hostname: string) => Promise<readonly { address: string }[]>

/** Rules that keep requests to foreign URLs out of private networks. */
export interface UrlGuard {
  allow: ReadonlySet<AllowedPair>
  /** A URL of our own that ends with a slash: all URLs below it are allowed. */
  allowBelow?: string | undefined
  resolve?: Resolve | undefined
  resolveMsMax?: number
  proxies?: Proxies | undefined
}

/** A URL and the only addresses for its connections. */
export interface Target {
  url: URL
  addresses: readonly string[]
  proxies?: Proxies | undefined
}

export interface RefusedUrl {
  refusal: 'bad_url' | 'not_public'
  /** For the author of the URL. */
  problem: string
  /** False if the name may be found later. */
  isLasting: boolean
}

/** One sentence for all cases: a caller must not learn the addresses inside this network. */
const NOT_PUBLIC = 'must have a host that is found, and at public addresses only'

/**
 * Finds the addresses for a request to a foreign URL, or refuses it.
 *
 * A name may change its addresses, so each request needs a new call. Connections use only the addresses found here
 * (`lookupAmong()`).
 *
 * With proxies the proxy resolves names and has to guard its own network; only the URL itself is checked here.
 */
export async function findTarget(
  text: string,
  { resolve = resolveBySystem, resolveMsMax = RESOLVE_MS_MAX, proxies, ...guard }: UrlGuard,
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

/** Finds nothing if the resolver fails or takes too long. */
async function findAddresses(
  url: URL,
  resolve: Resolve,
  msMax: number,
): Promise<readonly string[]> {
  const address = toAddress(url)
  if (address !== undefined) return [address]
  let found: string[] = []
  const resolving = resolve(url.hostname).then((addresses) => {
    found = addresses.map(({ address }) => address)
  })
  await settleWithin([resolving], msMax)
  return found
}

/** Returns the allowed pairs for a URL. The parser resolves `..` in its path. */
function allowedFor(
  text: string,
  { allow, allowBelow }: Pick<UrlGuard, 'allow' | 'allowBelow'>,
): ReadonlySet<AllowedPair> {
  const url = URL.parse(text)
  const isBelow = url !== null && allowBelow !== undefined && url.href.startsWith(allowBelow)
  return isBelow ? new Set([...allow, toPair(url)]) : allow
}

/**
 * Returns a resolver that knows only the addresses of a target. Node does not call it for hosts that are addresses.
 */
export function lookupAmong({ addresses }: Pick<Target, 'addresses'>): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, done) => {
    queueMicrotask(() => {
      if (options.all) done(null, found)
      else done(null, found[0]?.address ?? '', found[0]?.family)
    })
  }
}

function resolveBySystem(hostname: string) {
  return lookup(hostname, { all: true })
}
