import { buildConnector } from 'undici'
import type { Proxies } from './proxies.ts'

/**
 * Returns how undici opens connections through proxies, and directly where they do not lead.
 *
 * @param connectMs How long it may take through one proxy, TLS included.
 */
export function connectThrough(
  proxies: Pick<Proxies, 'open' | 'leadTo'>,
  connectMs: number,
): buildConnector.connector {
  const connectDirectly = buildConnector({ timeout: connectMs, allowH2: false })
  return (options, done) => {
    const { hostname, protocol, port } = options
    if (!proxies.leadTo(hostname)) {
      connectDirectly(options, done)
      return
    }
    const isTls = protocol === 'https:'
    const target = {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port) || (isTls ? 443 : 80),
      isTls,
    }
    proxies.open(target, connectMs).then(
      (socket) => done(null, socket),
      (error) => done(error, null),
    )
  }
}
