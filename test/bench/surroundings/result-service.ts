import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { MP4 } from '../../media-files.ts'

const PIECE = Buffer.alloc(64 * 1024)

/** An answer of a clip's link. Each request gets the next one; the last is repeated. */
export type LinkAnswer = { bytes: number } | { status: number }

/** A service that has every clip ready at once, and its links. */
export interface ResultService {
  baseUrl: string
  /** The bytes of clips that were sent, by the clips' descriptions. */
  sentBytes: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** @param answers What the link of a clip answers, by the clip's description. */
export async function startResultService(
  answers: Readonly<Record<string, readonly LinkAnswer[]>>,
): Promise<ResultService> {
  const prompts: string[] = []
  const requests = new Map<string, number>()
  const sentBytes = new Map<string, number>()
  const server = createServer((request, response) => {
    // Who left has no use for an answer.
    handle(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl: `${origin}/api/v1`, sentBytes, close }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace('/api/v1/', '/')
    if (path === '/chats/models') return sendJson(response, { models: [{ id: 'alpha' }] })
    if (path === '/balance') return sendJson(response, { balance_rub: 1_000 })
    if (path === '/videos/vidgen-generate') {
      const { prompt } = JSON.parse(await text(request)) as { prompt: string }
      return sendJson(response, { task_id: prompts.push(prompt) })
    }
    const [, room, id] = /^\/(task|clips)\/(\d+)/.exec(path) ?? []
    const prompt = prompts[Number(id) - 1]
    if (prompt === undefined) return void response.writeHead(404).end()
    if (room === 'clips') return sendClip(response, prompt)
    const urls = [`${origin}/clips/${id}.mp4`]
    return sendJson(response, { status: 'success', result_urls: urls, error: null })
  }

  async function sendClip(response: ServerResponse, prompt: string): Promise<void> {
    const count = requests.get(prompt) ?? 0
    requests.set(prompt, count + 1)
    const given = answers[prompt] ?? []
    const answer = given[Math.min(count, given.length - 1)] ?? { status: 404 }
    if ('status' in answer) return void response.writeHead(answer.status).end()
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': answer.bytes })
    const onSent = (bytes: number) => sentBytes.set(prompt, (sentBytes.get(prompt) ?? 0) + bytes)
    await pipeline(Readable.from(piecesOf(answer.bytes, onSent), { objectMode: false }), response)
  }

  async function close(): Promise<void> {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

/** The head of a clip, and then nothing but its length. */
function* piecesOf(bytes: number, onPiece: (bytes: number) => void): Generator<Buffer> {
  yield MP4
  onPiece(MP4.length)
  for (let left = bytes - MP4.length; left > 0; left -= PIECE.length) {
    const piece = PIECE.subarray(0, Math.min(left, PIECE.length))
    yield piece
    onPiece(piece.length)
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
