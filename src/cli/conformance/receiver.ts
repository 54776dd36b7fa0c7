import { once } from 'node:events'
import { createServer } from 'node:http'
import { readBody } from '../../platform/http/exchange.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** The ways in which a receiver treats a callback, each named at the end of its path. */
export const MANNERS = ['take', 'refuse', 'keep-silent'] as const
export type Manner = (typeof MANNERS)[number]

/** One POST that arrived. */
export interface Arrival {
  manner: string
  method: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** The time on the monotonic clock. */
  atMs: number
  /** The machine's date, in Unix seconds. */
  atUnix: number
  /** When its sender cut the connection without an answer. */
  cutAtMs?: number
}

/** Its address may be known to others than the service. A callback has less than a kilobyte. */
const BODY_BYTES_MAX = 1024 * 1024

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/**
 * Opens a customer's server for callbacks. `take` is answered with 204, `refuse` with 500; `keep-silent` is not
 * answered the first time, then taken.
 *
 * @throws {Error} The system's error, such as `EADDRINUSE`.
 */
export async function openReceiver(
  { host, port }: { host: string; port: number },
  clock: Pick<Clock, 'now' | 'date'>,
) {
  const arrivals: Arrival[] = []
  const server = createServer(async (request, response) => {
    const { method = '', headers, url = '' } = request
    const manner =
      url
        .replace(/[?#].*$/, '')
        .split('/')
        .at(-1) ?? ''
    const isFirst = !arrivals.some((arrival) => arrival.manner === manner)
    const atMs = clock.now()
    const body = await readBody(request, BODY_BYTES_MAX).catch(() => undefined)
    if (body === undefined) return void response.destroy()
    const atUnix = Math.floor(clock.date().getTime() / 1000)
    const arrival: Arrival = { manner, method, headers, body, atMs, atUnix }
    arrivals.push(arrival)
    if (manner === 'keep-silent' && isFirst) {
      response.once('close', () => {
        arrival.cutAtMs = clock.now()
      })
    } else response.writeHead(manner === 'refuse' ? 500 : 204).end()
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    arrivals,
    /** The port that the system gave, if it was asked for any. */
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
