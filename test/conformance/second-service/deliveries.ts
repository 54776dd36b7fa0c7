import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { type Destination, findDestination } from './addresses.ts'

/** Counted from the end of the task. */
const ATTEMPTS_AT_MS = [0, 5_000, 15_000]
const CONNECT_MS = 5_000
const READ_MS = 10_000

/** Has a callback taken by any 2xx, in three attempts at most. */
export async function deliver(
  { url, secret, notification }: { url: string; secret: string; notification: object },
  { clock, openTo, signal }: { clock: Clock; openTo: string | undefined; signal: AbortSignal },
): Promise<void> {
  const body = Buffer.from(JSON.stringify(notification))
  const endedAt = clock.now()
  for (const atMs of ATTEMPTS_AT_MS) {
    await clock.sleep(Math.max(0, endedAt + atMs - clock.now()), signal)
    const destination = await findDestination(url, openTo)
    if (typeof destination === 'string') continue
    const timestamp = String(Math.floor(clock.date().getTime() / 1000))
    const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
    const status = await post(destination, body, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.byteLength,
      'x-callback-timestamp': timestamp,
      'x-callback-signature': `sha256=${mac}`,
      'user-agent': 'second-service',
    })
    if (status >= 200 && status < 300) return
  }
}

/** @returns The status; 0 where none came in time. A redirect is a status like any other. */
function post(
  { url, address, family }: Destination,
  body: Buffer,
  headers: Record<string, string | number>,
): Promise<number> {
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const request = begin(url, {
      method: 'POST',
      agent: false,
      headers,
      lookup: (_host, { all }, found) =>
        all ? found(null, [{ address, family }]) : found(null, address, family),
    })
    let timer = setTimeout(() => request.destroy(), CONNECT_MS)
    request.on('socket', (socket) =>
      socket.once('connect', () => {
        clearTimeout(timer)
        timer = setTimeout(() => request.destroy(), READ_MS)
      }),
    )
    request.on('response', ({ statusCode = 0 }) => {
      resolve(statusCode)
      request.destroy()
    })
    request.on('error', () => {})
    request.on('close', () => {
      clearTimeout(timer)
      resolve(0)
    })
    request.end(body)
  })
}
