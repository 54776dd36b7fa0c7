import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { type Account, admit, openAccount, toRoubles } from './accounts.ts'
import { createChats, listModels } from './chats.ts'
import { Refused } from './refused.ts'
import { RESULTS, type ResultKind } from './results.ts'
import { createTasks } from './tasks.ts'

const VERSION = '/api/v1'
const SECRETS_A_MINUTE = 10
const CREDIT_KOPECKS = 50_000

/** The names at which this service fails: models and prompts, as `--provoke` takes them. */
const PROVOCATIONS = [
  'refused=trouble-refused',
  'unavailable=trouble-away',
  'broken=trouble-broken',
  'longer=trouble-longer',
  'failed=a picture that tears',
  'rejected=a picture that nobody draws',
] as const

export interface SecondServiceOptions {
  clock?: Clock
  /** How long after an answer its cost is put right. */
  settleLateMs?: number
  /** How long after a failure money is given back. */
  refundLateMs?: number
  /** The one private `host:port` that callbacks may go to. */
  openTo?: string | undefined
  /** The port of this machine to listen at; any by default. */
  port?: number
}

/**
 * A service of the interface with nothing of ours in it: it keeps every rule, and has its own way wherever the
 * document leaves one. Settlement and refunds come late, bodies have more fields, errors other words, costs are whole
 * kopecks.
 */
export async function startSecondService({
  clock = systemClock,
  settleLateMs = 1_500,
  refundLateMs = 2_000,
  openTo,
  port = 0,
}: SecondServiceOptions = {}) {
  const stopping = new AbortController()
  const accounts = ['first', 'other'].map((name) => openAccount(`sk-${name}-7Qm2`, CREDIT_KOPECKS))
  let origin = ''
  let requests = 0
  const chats = createChats({ clock, settleLateMs, later, refund })
  const tasks = createTasks({
    clock,
    filesRoot: () => `${origin}/results`,
    later,
    refund,
    openTo,
    signal: stopping.signal,
  })
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) return sendProblem(response, error)
      response.destroy()
    })
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [first, other] = accounts
  if (first === undefined || other === undefined) throw new TypeError('There are two accounts')
  return {
    baseUrl: origin + VERSION,
    apiKey: first.apiKey,
    otherKey: other.apiKey,
    provocations: PROVOCATIONS,
    stop,
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request
    const { pathname } = new URL(request.url ?? '/', origin)
    if (pathname.startsWith('/results/')) return sendResult(response, pathname)
    const account = accounts.find(({ apiKey }) => headers.authorization === `Bearer ${apiKey}`)
    if (account === undefined) throw new Refused(401, 'Who are you?')
    const path = pathname.startsWith(VERSION) ? pathname.slice(VERSION.length) : ''
    if (method === 'GET') return send(response, 200, read(account, path))
    if (method !== 'POST') throw new Refused(405, 'GET or POST.')
    const body = parse(await text(request))
    if (path === '/chats/completions') {
      const answer = await chats.answer(account, body, response)
      return answer && send(response, 200, answer)
    }
    const callbackUrl = headers['x-callback-url']?.toString()
    send(response, 200, await tasks.create(account, path, { body, callbackUrl }))
  }

  function read(account: Account, path: string): object {
    switch (path) {
      case '/chats/models':
        return listModels()
      case '/balance':
        return { ok: true, data: { amount: toRoubles(account.kopecks), currency: 'RUB' } }
      case '/callback/secret':
        admit(account, path, { most: SECRETS_A_MINUTE, clock })
        return { result: { callback_secret: account.secret, algorithm: 'HMAC-SHA256' } }
    }
    const [, id] = /^\/task\/([^/]+)$/.exec(path) ?? []
    if (id === undefined) throw new Refused(404, 'Nothing lives here.')
    return tasks.read(account, id)
  }

  function later(delayMs: number, work: () => void): void {
    clock.sleep(delayMs, stopping.signal).then(work, () => {})
  }

  function refund(account: Account, kopecks: number): void {
    later(refundLateMs, () => {
      account.kopecks += kopecks
    })
  }

  function send(response: ServerResponse, status: number, body: object): void {
    requests += 1
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify({ ...body, trace: `t-${requests}` }))
  }

  function sendProblem(response: ServerResponse, error: unknown): void {
    const { status, detail, retryAfter } =
      error instanceof Refused ? error : new Refused(500, 'We broke something.')
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    send(response, status, { detail, status })
  }

  async function stop(): Promise<void> {
    stopping.abort(new Error('the service stops'))
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

function sendResult(response: ServerResponse, path: string): void {
  const kind = path.split('.').at(-1) as ResultKind
  const { type, bytes } = RESULTS[kind] ?? {}
  if (bytes === undefined) throw new Refused(404, 'No such file.')
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.byteLength }).end(bytes)
}

/** @throws {Refused} 422. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Refused(422, 'That is no JSON.')
  }
}
