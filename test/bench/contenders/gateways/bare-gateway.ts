// The cheapest gateway that Node allows: undici's dispatch hands bytes on as they are. It knows no key, no
// money, no limit and no event, and is what our service is measured against.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Dispatcher } from 'undici'

const { UPSTREAM_URL: origin = '' } = process.env
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

function handOn(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.once('end', () => {
    const body = Buffer.concat(pieces)
    const headers = { 'content-type': 'application/json' }
    const options = { origin, path: '/v1/chat/completions', method: 'POST', headers, body } as const
    agent.dispatch(options, handTo(response))
  })
}

function handTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller) => {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort(new Error('The client has left'))
      })
      response.on('drain', () => controller.resume())
    },
    onResponseStart: (_controller, status, headers) => {
      response.writeHead(status, { 'content-type': String(headers['content-type']) })
    },
    onResponseData: (controller, bytes) => {
      if (!response.write(bytes)) controller.pause()
    },
    onResponseEnd: () => void response.end(),
    onResponseError: () => void response.destroy(),
  }
}

const server = createServer(handOn)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', address: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
