import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A callback as a customer's server knows it: its headers and the bytes of its body. */
export interface ReceivedCallback {
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

const AGE_S_MAX = 300

/**
 * Checks a callback as the interface document asks customers to, with nothing of the service's own code.
 *
 * @returns The status to answer: 200, 400 for a timestamp that is stale or no number, 401 for a bad signature.
 */
function verifyCallback(
  { headers, body }: ReceivedCallback,
  { secret, now = Date.now() }: { secret: string; now?: number },
): 200 | 400 | 401 {
  const timestamp = headers['x-callback-timestamp']
  if (typeof timestamp !== 'string' || !/^[0-9]+$/.test(timestamp)) return 400
  if (now / 1000 - Number(timestamp) > AGE_S_MAX) return 400
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body)
  const wanted = Buffer.from(`sha256=${hmac.digest('hex')}`)
  const given = Buffer.from(String(headers['x-callback-signature']))
  const isGenuine = given.length === wanted.length && timingSafeEqual(given, wanted)
  return isGenuine ? 200 : 401
}

/**
 * A customer's server on a port of this machine.
 *
 * @param statusFor What to answer a genuine callback with, by how many came before it; 200 if not given.
 */
export async function startReceiver({
  secret,
  statusFor = () => 200,
}: {
  secret: () => string
  statusFor?: (index: number) => number
}) {
  const received: (ReceivedCallback & { status: number; path: string | undefined })[] = []
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    const { headers, url: path } = request
    const verdict = verifyCallback({ headers, body }, { secret: secret() })
    const status = verdict === 200 ? statusFor(received.length) : verdict
    received.push({ headers, body, status, path })
    response.writeHead(status, { location: '/elsewhere' }).end('thank you')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { received, port, url: `http://127.0.0.1:${port}/hook?token=hush`, close }

  async function close(): Promise<void> {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}
