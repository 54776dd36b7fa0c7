import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { PageRefusal } from '../../platform/http/page.ts'
import type { PlaygroundChange } from '../updates/changes.ts'
import type { WireFlow } from './api.ts'
import { watchServiceFlow } from './service-flow.ts'
import { createViewerFeed, type Send, type ViewerFeed } from './viewer-feed.ts'
import type { WebDeps } from './web-deps.ts'

/** Changes in quick succession are sent together. */
const SEND_AFTER_MS = 20
/** The same for the panel, whose entries come by the hundred. */
const PANEL_AFTER_MS = 100
const PING_EVERY_MS = 15_000
const STREAMS_MAX = 100
/** A slower reader is cut off, and reconnects to a whole state. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

/** An open page. */
interface Stream {
  raw: ServerResponse
  viewer: ViewerFeed
  send: Send
  hasPanel: boolean
}

interface LiveRoute {
  Querystring: { as?: string; panel?: string }
}

/**
 * Sends the open pages what changes.
 *
 * Messages are sent when the world emits a change of them. Everything else is small and is compared with what each
 * page got last, so that the world does not depend on pages.
 */
export function createLiveStreams(deps: WebDeps) {
  const streams = new Set<Stream>()
  const build = crypto.randomUUID()
  /** Changed entries of the panel by their `seq`. */
  const flowed = new Map<number, WireFlow>()
  let pinging: NodeJS.Timeout | undefined
  let serviceFlow: ReturnType<typeof watchServiceFlow> | undefined
  let unsubscribe: (() => void) | undefined
  const look = delayed(SEND_AFTER_MS, () => {
    for (const { viewer } of streams) viewer.look()
  })
  const sendFlow = delayed(PANEL_AFTER_MS, () => {
    for (const { hasPanel, send } of streams) if (hasPanel) send('flow', [...flowed.values()])
    flowed.clear()
  })
  return { route, look, stop }

  /** `GET /live`: what a person sees, as it changes. An unknown user is shown the first person. */
  function route(app: FastifyInstance): void {
    app.get<LiveRoute>('/live', { exposeHeadRoute: false }, async ({ query }, reply) => {
      const { people } = deps.world
      const [first] = people.keys()
      const userId = people.has(Number(query.as)) ? Number(query.as) : first
      if (userId === undefined) throw new PageRefusal(404, 'Nobody is here yet')
      const { raw } = reply
      reply.hijack().header('x-request-id', reply.request.id)
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value)
      }
      raw.writeHead(200, HEADERS).flushHeaders()
      if (streams.size >= STREAMS_MAX || deps.closing.aborted) raw.end()
      else open(raw, { userId, hasPanel: query.panel === '1' })
      return reply
    })
  }

  function open(
    raw: ServerResponse,
    { userId, hasPanel }: { userId: number; hasPanel: boolean },
  ): void {
    // A write that races the page's leaving errs; `close` follows.
    raw.on('error', () => {})
    if (streams.size === 0) begin()
    const send: Send = (name, data) => {
      if (raw.destroyed) return
      if (raw.writableLength > WAITING_BYTES_MAX) raw.destroy()
      else raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    const viewer = createViewerFeed({ userId, send }, deps, build)
    const stream = { raw, viewer, send, hasPanel }
    if (hasPanel) send('flow', [...watchFlow().flows])
    streams.add(stream)
    raw.once('close', () => close(stream))
  }

  function close(stream: Stream): void {
    if (!streams.delete(stream) || streams.size > 0) return
    unsubscribe?.()
    clearInterval(pinging)
  }

  /** The pages reconnect, and find another process. */
  function stop(): void {
    serviceFlow?.stop()
    for (const stream of [...streams]) {
      close(stream)
      stream.raw.end()
    }
  }

  /** The service is not watched before the first page is open. */
  function watchFlow() {
    serviceFlow ??= watchServiceFlow({
      clock: deps.clock,
      onFlow(flow) {
        if (![...streams].some(({ hasPanel }) => hasPanel)) return
        flowed.set(flow.seq, flow)
        sendFlow()
      },
    })
    return serviceFlow
  }

  function begin(): void {
    unsubscribe = deps.changes.subscribe(onChange)
    // Before a panel asks: it is to show what has happened since the page was opened.
    watchFlow()
    pinging = setInterval(() => {
      const at = deps.clock.date().getTime()
      for (const { send } of streams) send('ping', { at })
    }, PING_EVERY_MS)
  }

  function onChange(change: PlaygroundChange): void {
    for (const { viewer } of streams) viewer.take(change)
    look()
  }

  /** Runs an action once, this long after it was first requested. On the machine's time. */
  function delayed(delayMs: number, act: () => void): () => void {
    let isDue = false
    return () => {
      if (isDue || streams.size === 0) return
      isDue = true
      setTimeout(() => {
        isDue = false
        act()
      }, delayMs)
    }
  }
}
