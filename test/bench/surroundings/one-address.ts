import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'

/** An address before several processes, as a load balancer gives them. */
export interface OneAddress {
  url: string
  /** Leads to these from now on, each request to the next. */
  leadTo(addresses: readonly string[]): void
  close(): Promise<void>
}

/** Starts it on a free port of this machine. Bodies are passed on whole, which is enough for updates. */
export async function openOneAddress(): Promise<OneAddress> {
  let behind: readonly string[] = []
  let turn = 0
  const server = createServer(async (incoming, response) => {
    const address = behind[turn++ % behind.length]
    try {
      const { method = 'GET', url, headers } = incoming
      const { host: _host, connection: _connection, ...kept } = headers
      const body = await buffer(incoming)
      const answer = await request(`${address}${url}`, {
        method: method as 'GET',
        headers: kept,
        ...(body.length > 0 && { body }),
      })
      response.writeHead(answer.statusCode)
      response.end(Buffer.from(await answer.body.arrayBuffer()))
    } catch {
      response.writeHead(502).end()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    leadTo: (addresses) => {
      behind = addresses
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
