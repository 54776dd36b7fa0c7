import { isIP } from 'node:net'
import { settleWithin } from '../../time/graceful-stop.ts'
import { type AllowedPair, readCallbackUrl, toPair } from './callback-url.ts'
import { isPublicAddress } from './public-address.ts'

/** Finds every address of a name. Rejects, or finds none, where there is no such name. */
export type Resolve = (hostname: string) => Promise<readonly { address: string }[]>

/** Where a callback goes: connections are made to these addresses and to no others. */
export interface CallbackTarget {
  url: URL
  addresses: readonly string[]
}

/** Why a callback cannot go there, for its row and in words for the caller. */
export interface RefusedUrl {
  refusal: 'bad_url' | 'not_public'
  problem: string
}

/** One sentence for all: a caller does not learn what a name leads to inside this network. */
const NOT_PUBLIC: RefusedUrl = {
  refusal: 'not_public',
  problem: 'must have a host that is found, and at public addresses only',
}

export interface UrlGuardOptions {
  allow: ReadonlySet<AllowedPair>
  resolve: Resolve
  resolveMsMax: number
}

/**
 * Finds where a callback may go, which keeps callbacks out of private networks.
 *
 * What counts is the address, judged when the task is created and again at each attempt: a name may
 * lead elsewhere by then. A connection goes to the addresses found here, and no resolver is asked again.
 */
export async function findCallbackTarget(
  text: string,
  { allow, resolve, resolveMsMax }: UrlGuardOptions,
): Promise<CallbackTarget | RefusedUrl> {
  const read = readCallbackUrl(text, allow)
  if ('problem' in read) return { refusal: 'bad_url', problem: read.problem }
  const { url } = read
  const addresses = await findAddresses()
  if (addresses.length === 0) return NOT_PUBLIC
  if (!allow.has(toPair(url)) && !addresses.every(isPublicAddress)) return NOT_PUBLIC
  return { url, addresses }

  /** A resolver that fails or takes too long has found nothing. */
  async function findAddresses(): Promise<readonly string[]> {
    const literal = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(literal) !== 0) return [literal]
    let found: string[] = []
    const resolving = resolve(url.hostname).then((addresses) => {
      found = addresses.map(({ address }) => address)
    })
    await settleWithin([resolving], resolveMsMax)
    return found
  }
}
