import { once } from 'node:events'
import { createServer } from 'node:http'
import { readBody } from '../../platform/http/exchange.ts'
import type { Clock } from '../../platform/time/clock.ts'

/**
 * The ways in which a receiver treats callbacks, each named at the end of its path, with what is answered to the first
 * attempt, to the second and so on, the last of them to all that come after it. 0: nothing.
 */
const STATUSES = {
  take: [204],
  /** Neither is any 2xx; whoever follows the redirect comes to `followed`. */
  refuse: [302, 500],
  followed: [204],
  /** Then takes it, with a 2xx that is not the common one. */
  'keep-silent': [0, 202],
  failed: [204],
  video: [204],
} as const satisfies Record<string, readonly number[]>
export type Manner = keyof typeof STATUSES

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
 * Opens a customer's server for callbacks.
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
    const atMs = clock.now()
    const body = await readBody(request, BODY_BYTES_MAX).catch(() => undefined)
    if (body === undefined) return void response.destroy()
    const atUnix = Math.floor(clock.date().getTime() / 1000)
    const statuses: readonly number[] = STATUSES[manner as Manner] ?? STATUSES.take
    const attempt = arrivals.filter((earlier) => earlier.manner === manner).length
    const status = statuses[attempt] ?? statuses.at(-1) ?? 204
    const arrival: Arrival = { manner, method, headers, body, atMs, atUnix }
    arrivals.push(arrival)
    if (status === 0) {
      response.once('close', () => {
        arrival.cutAtMs = clock.now()
      })
    } else response.writeHead(status, status === 302 ? { location: 'followed' } : {}).end()
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
