import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { PageRefusal } from '../../platform/http/page.ts'
import type { PlaygroundChange } from '../updates/changes.ts'
import type { LiveEvents, WireFlow } from './api.ts'
import { watchServiceFlow } from './service-flow.ts'
import { chatsOf, pageOf, toWireBot, toWireChat, toWireMessage } from './to-wire.ts'
import type { WebDeps } from './web-deps.ts'

const SEND_AFTER_MS = 20
/** A chat action fades without a change, so pages are compared with the world this often. */
const LOOK_EVERY_MS = 1_000
const PING_EVERY_MS = 15_000
const STREAMS_MAX = 100
const WAITING_BYTES_MAX = 16 * 1024 * 1024

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

type Send = <Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]) => void

interface Stream {
  raw: ServerResponse
  send: Send
  viewer: ReturnType<typeof createViewer>
  hasPanel: boolean
}

interface LiveRoute {
  Querystring: { as?: string; panel?: string }
}

export function createLive(deps: WebDeps) {
  const streams = new Set<Stream>()
  const build = crypto.randomUUID()
  let flowed: WireFlow[] = []
  let timers: NodeJS.Timeout[] = []
  let serviceFlow: ReturnType<typeof watchServiceFlow> | undefined
  let unsubscribe: (() => void) | undefined
  let isDue = false
  return { route, stop }

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
      else open(raw, userId, query.panel === '1')
      return reply
    })
  }

  function open(raw: ServerResponse, userId: number, hasPanel: boolean): void {
    // A write that races the page's leaving errs; `close` follows.
    raw.on('error', () => {})
    if (streams.size === 0) begin()
    const send: Send = (name, data) => {
      if (raw.destroyed) return
      if (raw.writableLength > WAITING_BYTES_MAX) raw.destroy()
      else raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    const stream = { raw, send, viewer: createViewer({ userId, send, build }, deps), hasPanel }
    if (hasPanel) {
      look()
      send('flow', [...(serviceFlow?.flows ?? [])])
    }
    streams.add(stream)
    raw.once('close', () => close(stream))
  }

  function close(stream: Stream): void {
    if (!streams.delete(stream) || streams.size > 0) return
    unsubscribe?.()
    timers.forEach(clearInterval)
  }

  function stop(): void {
    serviceFlow?.stop()
    for (const stream of [...streams]) {
      close(stream)
      stream.raw.end()
    }
  }

  function begin(): void {
    unsubscribe = deps.changes.subscribe((change) => {
      for (const { viewer } of streams) viewer.take(change)
      lookSoon()
    })
    // Kept from now on: a panel shows what has happened since the first page was opened.
    serviceFlow ??= watchServiceFlow({
      clock: deps.clock,
      onFlow(flow) {
        flowed.push(flow)
        lookSoon()
      },
    })
    const ping = () => {
      for (const { send } of streams) send('ping', {})
    }
    timers = [setInterval(look, LOOK_EVERY_MS), setInterval(ping, PING_EVERY_MS)]
  }

  function lookSoon(): void {
    if (isDue || streams.size === 0) return
    isDue = true
    setTimeout(look, SEND_AFTER_MS)
  }

  function look(): void {
    isDue = false
    const flows = flowed
    flowed = []
    for (const { viewer, hasPanel, send } of streams) {
      viewer.look()
      if (hasPanel && flows.length > 0) send('flow', flows)
    }
  }
}

function createViewer(
  { userId, send, build }: { userId: number; send: Send; build: string },
  deps: WebDeps,
) {
  const { world, callbackQueries } = deps
  let sent = ''
  let known = new Set<number>()
  /** Messages that were sent, changed or deleted since the last look, by chat. */
  const touched = new Map<number, Set<number>>()
  const answered: string[] = []
  look()
  return { take, look }

  function take(change: PlaygroundChange): void {
    if (change.kind === 'answered') answered.push(change.callbackQueryId)
    if (!('messageId' in change)) return
    const ids = touched.get(change.chatId) ?? new Set()
    touched.set(change.chatId, ids.add(change.messageId))
  }

  function look(): void {
    const chats = chatsOf(userId, deps)
    const state: LiveEvents['state'] = {
      build,
      as: userId,
      bot: toWireBot(world.personOf(userId).user.language_code ?? '', deps),
      people: Array.from(world.people.values(), ({ user }) => user),
      chats: chats.map((chat) => toWireChat(chat, userId, deps)),
    }
    const text = JSON.stringify(state)
    if (text !== sent) send('state', state)
    sent = text
    for (const chat of chats) {
      if (known.has(chat.id)) sendMessages(chat.id)
      else send('history', { chat_id: chat.id, ...pageOf(chat, deps) })
    }
    known = new Set(chats.map(({ id }) => id))
    touched.clear()
    for (const id of answered.splice(0)) sendAnswer(id)
  }

  function sendMessages(chatId: number): void {
    const { messages } = world.chatOf(chatId)
    const gone: number[] = []
    for (const messageId of touched.get(chatId) ?? []) {
      const message = messages.get(messageId)
      if (message) send('message', { chat_id: chatId, message: toWireMessage(message, world) })
      else gone.push(messageId)
    }
    if (gone.length > 0) send('deleted', { chat_id: chatId, message_ids: gone })
  }

  function sendAnswer(id: string): void {
    const press = callbackQueries.presses.get(id)
    if (press?.answer === undefined || press.userId !== userId) return
    const { chatId: chat_id, messageId: message_id, answer } = press
    send('answer', { chat_id, message_id, text: answer.text })
  }
}
