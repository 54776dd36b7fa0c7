// undici 8.12 ends a connection at a `100 Continue`, which a receiver may send (RFC 9110, 15.2): the callback would be sent
// again. Its timers are exact to a second only, and the time for an answer counts from the connection.

import { type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { lookupAmong, type Target } from '../../platform/http/url-guard.ts'

export interface PostTimeouts {
  connectMs: number
  readMs: number
}

export type PostFailure =
  | 'connect_timeout'
  | 'connect_failed'
  | 'read_timeout'
  | 'bad_answer'
  | 'stopped'

export type PostOutcome = { status: number } | { failure: PostFailure }

const BODY_BYTES_MAX = 64 * 1024
const HEADER_BYTES_MAX = 16 * 1024

/** Sends one POST to the addresses of `target`, without proxies or redirects, and reads the status. Never rejects. */
export function post(
  target: Target,
  { headers, body }: { headers: Record<string, string>; body: Uint8Array },
  { connectMs, readMs }: PostTimeouts,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const { url } = target
  const isSecure = url.protocol === 'https:'
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-length': body.byteLength },
    maxHeaderSize: HEADER_BYTES_MAX,
    lookup: lookupAmong(target),
  }
  return new Promise((resolve) => {
    const request = (isSecure ? requestHttps : requestHttp)(url, options)
    let isConnected = false
    let status: number | undefined
    let timer = setTimeout(() => end('connect_timeout'), connectMs)
    const stop = () => end('stopped')
    signal.addEventListener('abort', stop)
    request.once('socket', (socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true
        clearTimeout(timer)
        timer = setTimeout(() => end('read_timeout'), readMs)
      })
    })
    request.once('response', (response) => {
      status = response.statusCode
      let bytes = 0
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        if (bytes > BODY_BYTES_MAX) end('bad_answer')
      })
      response.once('error', () => end('bad_answer'))
      response.once('end', () => end('bad_answer'))
    })
    request.on('error', () => end(isConnected ? 'bad_answer' : 'connect_failed'))
    request.once('close', () => end('bad_answer'))
    request.end(body)
    if (signal.aborted) stop()

    /** Ends the exchange; once there is a status, nothing that follows it is a failure. */
    function end(failure: PostFailure): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(status === undefined ? { failure } : { status })
      request.destroy()
    }
  })
}
