import { type LocalServer, reset, serve } from '../e2e/chaos/local-server.ts'

/** One address in front of several processes. */
export interface Balancer extends LocalServer {
  /** The processes that it sends to, as an operator changes them. */
  addresses: Set<string>
}

/** Opens a balancer that sends each request to another process, and to the next one where a connection is refused. */
export async function openBalancer(): Promise<Balancer> {
  const addresses = new Set<string>()
  let requests = 0
  const server = await serve(async ({ method, path, headers, body }, response) => {
    const all = [...addresses]
    requests += 1
    for (let tries = 0; tries < all.length; tries += 1) {
      const address = all[(requests + tries) % all.length]
      const sent = fetch(`${address}${path}`, {
        method,
        headers: pickHeaders(headers),
        ...(method !== 'GET' && { body: new Uint8Array(body) }),
      })
      const answer = await sent.catch(() => undefined)
      if (answer === undefined) continue
      const type = answer.headers.get('content-type') ?? 'text/plain'
      response.writeHead(answer.status, { 'content-type': type })
      return response.end(Buffer.from(await answer.arrayBuffer()))
    }
    return reset(response)
  })
  return { ...server, addresses }
}

/** Leaves out those of one connection. */
function pickHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !['connection', 'content-length', 'host', 'transfer-encoding'].includes(name),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}
