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

/** Finds every address of a name. Rejects, or finds none, where there is no such name. */
export type Resolve = (hostname: string) => Promise<readonly { address: string }[]>

/** The rules that keep requests to URLs that others name out of private networks. */
export interface UrlGuard {
  allow: ReadonlySet<AllowedPair>
  /** A URL that ends with a slash, such as one of our own: what is below it is let through, too. */
  allowBelow?: string | undefined
  resolve?: Resolve | undefined
  resolveMsMax?: number
  proxies?: Proxies | undefined
}

/** A URL and the addresses that connections for it are made to, and to no others. */
export interface Target {
  url: URL
  addresses: readonly string[]
  proxies?: Proxies | undefined
}

/** Why no request goes there, in a word and in words for the one who named the URL. */
export interface RefusedUrl {
  refusal: 'bad_url' | 'not_public'
  problem: string
  /** True if it would be refused again. A name that is not found now may be found later. */
  isLasting: boolean
}

/** One sentence for all: a caller does not learn what a name leads to inside this network. */
const NOT_PUBLIC = 'must have a host that is found, and at public addresses only'

/**
 * Finds where a request to a URL may go that somebody else named.
 *
 * The address counts, and is judged again at each request: a name may lead elsewhere by then. A connection
 * goes to the addresses found here (`lookupAmong()`), and no resolver is asked again.
 *
 * Through proxies no name is looked up here: what is written in the URL is judged alone, and it is the proxy that keeps
 * a name out of its own network.
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
  const addresses = await findAddresses()
  const isFound = addresses.length > 0
  const isAllowed = isFound && (allow.has(toPair(url)) || addresses.every(isPublicAddress))
  if (!isAllowed) return { refusal: 'not_public', problem: NOT_PUBLIC, isLasting: isFound }
  return { url, addresses, ...(isProxied && { proxies }) }

  /** A resolver that fails or takes too long has found nothing. */
  async function findAddresses(): Promise<readonly string[]> {
    const address = toAddress(url)
    if (address !== undefined) return [address]
    let found: string[] = []
    const resolving = resolve(url.hostname).then((addresses) => {
      found = addresses.map(({ address }) => address)
    })
    await settleWithin([resolving], resolveMsMax)
    return found
  }
}

/** The pairs that are let through for a URL. Its path is read as a server reads it: `..` leads up. */
function allowedFor(
  text: string,
  { allow, allowBelow }: Pick<UrlGuard, 'allow' | 'allowBelow'>,
): ReadonlySet<AllowedPair> {
  const url = URL.parse(text)
  const isBelow = url !== null && allowBelow !== undefined && url.href.startsWith(allowBelow)
  return isBelow ? new Set([...allow, toPair(url)]) : allow
}

/**
 * A resolver for the connection to a target: it knows the addresses that were judged and nothing else. It is
 * not asked about hosts that are addresses.
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
