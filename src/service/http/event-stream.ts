import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { EventSink } from '../chat/answer-stream.ts'
import { ClientGoneError } from './client-gone.ts'

/** A client that takes nothing for so long is taken for gone: its answer would be held for ever. */
const DRAIN_MS_MAX = 120_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

/** Writes a stream of events as a reply, past Fastify, which knows only whole bodies and streams. */
export function createEventStream(reply: FastifyReply, controller: AbortController): EventSink {
  const { raw } = reply
  const { signal } = controller
  return { open, write, end }

  function open(): void {
    reply.hijack()
    // A write that races the client's leaving errs; `close` follows and tells those concerned.
    raw.on('error', () => {})
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value)
    }
    raw.writeHead(200, HEADERS)
  }

  function write(events: string): Promise<void> | undefined {
    if (raw.destroyed || raw.write(events)) return undefined
    const slow = setTimeout(() => controller.abort(new ClientGoneError()), DRAIN_MS_MAX)
    return firstOf(raw, 'drain', signal).finally(() => clearTimeout(slow))
  }

  async function end(events: string): Promise<void> {
    if (raw.destroyed) return
    const sent = firstOf(raw, 'finish', signal)
    raw.end(events)
    await sent
  }
}

/** Waits for the event, or for whatever makes it impossible. */
function firstOf(
  raw: ServerResponse,
  event: 'drain' | 'finish',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((done) => {
    const settle = () => {
      for (const name of [event, 'close', 'error']) raw.off(name, settle)
      signal.removeEventListener('abort', settle)
      done()
    }
    for (const name of [event, 'close', 'error']) raw.on(name, settle)
    signal.addEventListener('abort', settle)
    if (raw.destroyed || signal.aborted) settle()
  })
}
