import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

const URL_LENGTH_MAX = 500

/** Networks that no callback is sent into. */
const CLOSED = new BlockList()
const NETWORKS =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 ' +
  '198.18.0.0/15 224.0.0.0/3 168.63.129.16/32 ::/127 fc00::/7 fe80::/10 ff00::/8 64:ff9b::/96'
for (const [network = '', prefix] of NETWORKS.split(' ').map((each) => each.split('/'))) {
  CLOSED.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
}

/** A place to send a callback to: its name, and the address that was looked at. */
export interface Destination {
  url: URL
  address: string
  family: number
}

/**
 * Looks where a callback would go.
 *
 * @param openTo The one `host:port` that may be private: a receiver of a test.
 * @returns The place, or why nothing is sent there.
 */
export async function findDestination(
  text: string,
  openTo: string | undefined,
): Promise<Destination | string> {
  const url = URL.parse(text)
  if (text.length > URL_LENGTH_MAX) return `longer than ${URL_LENGTH_MAX} characters`
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'not a web address'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const all = await lookup(host, { all: true }).catch(() => [])
  const [first] = all
  if (first === undefined) return 'no such host'
  const isClosed = all.some(({ address, family }) =>
    CLOSED.check(address, family === 4 ? 'ipv4' : 'ipv6'),
  )
  if (isClosed && url.host !== openTo) return 'the host is not in the public net'
  return { url, ...first }
}
