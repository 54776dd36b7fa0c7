import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * How a receiver answers callbacks, by the end of their path: the first status to the first attempt, the last one to
 * all further attempts. 0 is no answer.
 */
const STATUSES = {
  take: [204],
  refuse: [302, 500],
  followed: [204],
  silent: [0, 202],
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
  atMs: number
  /** When the sender gave up waiting for an answer. */
  cutAtMs?: number
}

/** Records callbacks and decides their answers. */
export function createReceiver(now: () => number) {
  const arrivals: Arrival[] = []
  return { arrivals, receive }

  /** @returns The status to answer with. */
  function receive(request: Omit<Arrival, 'manner' | 'atMs'> & { path: string }) {
    const manner = request.path.split('/').at(-1) ?? ''
    const statuses: readonly number[] = STATUSES[manner as Manner] ?? STATUSES.take
    const attempt = arrivals.filter((earlier) => earlier.manner === manner).length
    const arrival: Arrival = { ...request, manner, atMs: now() }
    arrivals.push(arrival)
    return { status: statuses[attempt] ?? statuses.at(-1) ?? 204, arrival }
  }
}

/** Opens a customer's server for callbacks. */
export function openReceiver(url: string, port: number, host: string) {
  const { arrivals, receive } = createReceiver(() => performance.now())
  const server = createServer(async (request, response) => {
    const { method = '', headers, url: path = '' } = request
    const body = await buffer(request)
    const { status, arrival } = receive({ path, method, headers, body })
    if (status === 0) {
      response.once('close', () => {
        arrival.cutAtMs = performance.now()
      })
    } else response.writeHead(status, status === 302 ? { location: 'followed' } : {}).end()
  })
  // The end of the run is not to wait for it.
  server.unref()
  return {
    url,
    arrivals,
    secondsNow: () => Date.now() / 1000,
    start: () => new Promise<void>((resolve) => void server.listen(port, host, resolve)),
  }
}
