import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

/** How long an answer may take before the request counts as hung. */
const ANSWER_MS_MAX = 10_000

/**
 * Posts a body of any bytes over a connection of its own and reads to the end.
 *
 * @returns Undefined as the status if the server closed without an answer.
 */
export function sendRaw(
  origin: string,
  { path, apiKey, body }: { path: string; apiKey: string; body: string },
): Promise<{ status: number | undefined; text: string; body: string }> {
  const head = [
    `POST ${path} HTTP/1.1`,
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'host: localhost',
    'connection: close',
  ]
  return new Promise((done, fail) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    let text = ''
    socket.setTimeout(ANSWER_MS_MAX, () => {
      socket.destroy()
      fail(new Error(`No end of the answer to ${path}`))
    })
    socket.on('data', (piece) => {
      text += piece.toString()
    })
    // A refusal may close the connection while the body is on its way.
    socket.on('error', () => {})
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]
      const [, answered = ''] = text.split(/\r\n\r\n(.*)/s)
      done({ status: status === undefined ? undefined : Number(status), text, body: answered })
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

/** A body that a test announces: a client that would send it to a path below the version. */
export interface AnnouncedBody {
  path: string
  apiKey: string
  bytes: number
}

/** Sends the headers of a JSON body that long, and none of the body. */
export function announceBody(
  origin: string,
  announced: AnnouncedBody,
): Promise<{ status: number | undefined; body: unknown }> {
  const { answer } = holdBody(origin, announced)
  return answer.then(({ status, body }) => ({ status, body }))
}

/** Sends the headers of a JSON body that long and stays on the line until `leave()`. */
export function holdBody(origin: string, { path, apiKey, bytes }: AnnouncedBody) {
  const outgoing = httpRequest(`${origin}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-length': String(bytes),
    },
  })
  const answer = new Promise<{
    status: number | undefined
    headers: IncomingHttpHeaders
    body: unknown
  }>((done, fail) => {
    outgoing.on('response', async (response) => {
      let body = ''
      for await (const piece of response.setEncoding('utf8')) body += piece
      outgoing.destroy()
      done({ status: response.statusCode, headers: response.headers, body: JSON.parse(body) })
    })
    outgoing.on('error', fail)
  })
  // One that leaves without an answer is no failure.
  answer.catch(() => {})
  outgoing.flushHeaders()
  return { answer, leave: () => outgoing.destroy() }
}
