import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type {
  LiveEvent,
  Role,
  SignInBody,
  SignInRefusalAnswer,
  WireVisitor,
} from '../../../src/bot/admin/dashboard/api.ts'
import { securityHeaders } from '../../../src/bot/admin/dashboard/http/security-headers.ts'
import { builtDir } from '../../../src/platform/installation.ts'
import { createPageAnswers, RefusedError } from './page-answers.ts'

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

/**
 * The page as it was built, and a server that holds to `api.ts` to the letter: what the page may not ask
 * is refused and recorded, so that the test fails.
 */
export async function startPageServer() {
  const answers = createPageAnswers()
  const sessions = new Map<string, Role>()
  const streams = new Set<ServerResponse>()
  const faults: string[] = []
  const state = {
    role: 'admin' as Role,
    language: null as WireVisitor['language'],
    links: new Set(['good-link']),
    refusal: undefined as { status: number; retryAfter?: number } | undefined,
    live: {
      today: answers.today(),
      leftOf: 'account',
      balanceMicroRub: '1234567890',
      reservedMicroRub: '2500000',
    } as LiveEvent,
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof RefusedError) return sendRefusal(response, error.status, error.body)
      faults.push(String(error))
      sendRefusal(response, 500, { detail: 'Failed.' })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { root, state, faults, answers, endSessions, sendLive, sendEnd, stop }

  function endSessions(): void {
    sessions.clear()
  }

  function sendLive(live: LiveEvent): void {
    state.live = live
    for (const stream of streams) writeEvent(stream, 'live', live)
  }

  function sendEnd(reason: 'session_ended' | 'role_changed'): void {
    for (const stream of streams) {
      writeEvent(stream, 'end', { reason })
      stream.end()
    }
  }

  async function stop(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', root)
    const headers = { ...securityHeaders({ isHttps: false }), 'cache-control': 'no-store' }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (!pathname.startsWith('/admin/')) throw refused(404, 'There is no such path.')
    const path = pathname.slice('/admin/'.length)
    if (!path.startsWith('api/')) return sendFile(response, path)
    const method = request.method ?? 'GET'
    if (method !== 'GET' && request.headers.origin !== root) throw refused(403, 'Another origin.')
    if (state.refusal !== undefined) {
      if (state.refusal.retryAfter !== undefined) {
        response.setHeader('retry-after', state.refusal.retryAfter)
      }
      throw refused(state.refusal.status, 'Refused by the test.')
    }
    const body = await text(request)
    const asked = { method, path: path.slice('api'.length), query: searchParams }
    if (asked.path === '/session' && method === 'POST') return signIn(response, JSON.parse(body))
    await answerSigned(request, response, {
      ...asked,
      body: body === '' ? undefined : JSON.parse(body),
    })
  }

  async function answerSigned(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { method: string; path: string; query: URLSearchParams; body: unknown },
  ): Promise<void> {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const role = sessions.get(token)
    if (role === undefined) throw refused(401, 'Nobody is signed in.')
    if (asked.path === '/session') {
      if (asked.method === 'DELETE') sessions.delete(token)
      return asked.method === 'DELETE' ? send(response, 204) : send(response, 200, meOf(role))
    }
    if (asked.path === '/live') return openStream(response)
    const isForViewers = asked.method === 'GET' || asked.path === '/downloads'
    if (role === 'viewer' && !isForViewers) throw refused(403, 'Viewers change nothing.')
    const answered = answers.answer(asked)
    if (answered === undefined) {
      faults.push(`There is no ${asked.method} ${asked.path}`)
      throw refused(404, 'There is no such path.')
    }
    send(response, answered.status, answered.body)
  }

  function signIn(response: ServerResponse, body: SignInBody): void {
    if ('link' in body && !state.links.delete(body.link)) {
      const refusal: SignInRefusalAnswer = { detail: 'Used.', error: 'link_used' }
      throw new RefusedError(401, refusal)
    }
    if ('initData' in body && !body.initData.includes('hash=')) {
      const refusal: SignInRefusalAnswer = { detail: 'Not signed.', error: 'init_data_invalid' }
      throw new RefusedError(401, refusal)
    }
    const token = `token-${sessions.size + 1}`
    sessions.set(token, state.role)
    send(response, 201, { token, me: meOf(state.role) })
  }

  function meOf(role: Role): WireVisitor {
    const { language } = state
    const endsAt = '2026-11-23T09:00:00.000Z'
    const name = 'Ада Лавлейс'
    return { userId: 1, name, username: 'ada', role, language, timeZone: 'Europe/Moscow', endsAt }
  }

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    streams.add(response)
    response.on('close', () => streams.delete(response))
    writeEvent(response, 'live', state.live)
  }
}

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  const name = path === '' ? 'index.html' : path
  const bytes = await readFile(join(builtDir('admin'), name)).catch(() => undefined)
  if (bytes === undefined) throw refused(404, 'There is no such file.')
  response.setHeader('content-type', TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain')
  response.end(bytes)
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

function sendRefusal(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) response.destroy()
  else send(response, status, body)
}

function writeEvent(response: ServerResponse, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

function refused(status: number, detail: string): RefusedError {
  return new RefusedError(status, { detail })
}
