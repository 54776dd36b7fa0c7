import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

/** A request as bytes, however odd. */
export interface RawRequest {
  method: string
  path: string
  headers: readonly (readonly [name: string, value: string])[]
  body: string
  isCut?: boolean
}

/** How long an answer may take before the request counts as hung. */
const ANSWER_MS_MAX = 10_000

/**
 * Writes a request as it stands onto a connection of its own and reads to the end.
 *
 * @returns Undefined as the status if the server closed without an answer.
 */
export function sendRaw(
  origin: string,
  { method, path, headers, body, isCut = false }: RawRequest,
): Promise<{ status: number | undefined; text: string; body: string }> {
  const fields = [...headers, ['host', 'localhost'], ['connection', 'close']]
  const head = `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return new Promise((done, fail) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    let text = ''
    socket.setTimeout(ANSWER_MS_MAX, () => {
      socket.destroy()
      fail(new Error(`No end of the answer to ${method} ${path}`))
    })
    socket.on('data', (piece) => {
      text += piece.toString()
    })
    // A refusal may close the connection while the body is on its way.
    socket.on('error', () => {})
    socket.on('close', () => {
      text = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]
      const [head = '', answered = ''] = text.split(/\r\n\r\n(.*)/s)
      // What follows the first answer was for bytes that the server took for another request.
      const length = /^content-length: (\d+)$/im.exec(head)?.[1]
      done({
        status: status === undefined ? undefined : Number(status),
        text,
        body: answered.slice(0, length === undefined ? undefined : Number(length)),
      })
    })
    socket.write(head, 'latin1')
    socket.write(body)
    if (isCut) socket.end()
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
