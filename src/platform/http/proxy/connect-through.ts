import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
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

/** Makes the agent of Node's own HTTP client that opens its connections through proxies, and keeps them. */
export function createAgentThrough(
  proxies: Pick<Proxies, 'open' | 'leadTo'>,
  { root, connectMs }: { root: string; connectMs: number },
): HttpAgent {
  const { protocol } = new URL(root)
  const connect = connectThrough(proxies, connectMs)
  const agent = new (protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true })
  agent.createConnection = ({ host, port }, done) => {
    connect({ hostname: host ?? '', protocol, port: String(port ?? '') }, (error, socket) => {
      // Node looks at the socket only where there is no error.
      done?.(error, socket as Socket)
    })
    return undefined
  }
  return agent
}
