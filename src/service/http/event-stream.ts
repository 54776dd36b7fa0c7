import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ChatClient } from '../chat/chat-client.ts'
import { ClientGoneError } from '../chat/chat-client.ts'
import type { EventSink } from '../chat/completions.ts'

/** A client that takes nothing for so long is taken for gone: its answer would be held for ever. */
const DRAIN_MS_MAX = 120_000

/** Proxies and clients drop a line that says nothing for a minute. */
const KEEP_ALIVE_MS = 15_000

/** A comment: readers of events pass over it. */
const KEEP_ALIVE = ': keep-alive\n\n'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

/** Starts a timer; `setTimeout()` everywhere but in tests. */
export type StartTimer = (
  run: () => void,
  delayMs: number,
) => Pick<NodeJS.Timeout, 'refresh' | 'close'>

/**
 * Writes a stream of events as a reply, past Fastify, which knows only whole bodies and streams. Once it
 * is open, a long silence is filled with comments.
 */
export function createEventStream(
  reply: FastifyReply,
  client: Pick<ChatClient, 'signal' | 'abort'>,
  startTimer: StartTimer = setTimeout,
): EventSink {
  const { raw } = reply
  const { signal } = client
  let silence: ReturnType<StartTimer> | undefined
  let isBegun = false
  return { open, write, end }

  function open(): void {
    reply.hijack()
    // A write that races the client's leaving errs; `close` follows, and those concerned listen to that.
    raw.on('error', () => {})
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value)
    }
    // A proxy sends anybody's next request on a connection that is kept, be it in the moment in which a process that
    // stops closes it: one whose head said that it is kept, and its last bytes are just out.
    if (raw.req.headers['x-forwarded-for'] !== undefined) raw.setHeader('connection', 'close')
    raw.writeHead(200, HEADERS)
    silence = startTimer(keepAlive, KEEP_ALIVE_MS)
    raw.once('close', () => silence?.close())
  }

  function write(events: string): Promise<void> | undefined {
    silence?.refresh()
    if (raw.destroyed || put(events)) return undefined
    const slow = startTimer(() => client.abort(new ClientGoneError()), DRAIN_MS_MAX)
    return firstOf(raw, { of: raw.socket ?? raw, event: 'drain' }, signal).finally(() =>
      slow.close(),
    )
  }

  function keepAlive(): void {
    // What the client has not taken yet keeps the connection busy enough.
    if (!raw.destroyed && !raw.writableNeedDrain && !raw.socket?.writableNeedDrain) put(KEEP_ALIVE)
    silence?.refresh()
  }

  /**
   * Writes past Node's own framing, which hands on the length, the text and two line ends of each chunk as four pieces:
   * as one text they cost a sixth less.
   *
   * @returns False if the client is to be waited for.
   */
  function put(events: string): boolean {
    const { socket, chunkedEncoding } = raw
    // The head goes out with the first. Without a socket an answer is still before it, and an empty chunk would be the end.
    if (isBegun && chunkedEncoding && socket?.writable && events !== '') {
      return socket.write(`${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n`)
    }
    isBegun = true
    return raw.write(events)
  }

  async function end(events: string): Promise<void> {
    silence?.close()
    if (raw.destroyed) return
    const sent = firstOf(raw, { of: raw, event: 'finish' }, signal)
    raw.end(events)
    await sent
  }
}

function firstOf(
  raw: ServerResponse,
  { of, event }: { of: Writable; event: 'drain' | 'finish' },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((done) => {
    const settle = () => {
      of.off(event, settle)
      for (const name of ['close', 'error']) raw.off(name, settle)
      signal.removeEventListener('abort', settle)
      done()
    }
    of.on(event, settle)
    for (const name of ['close', 'error']) raw.on(name, settle)
    signal.addEventListener('abort', settle)
    if (raw.destroyed || signal.aborted) settle()
  })
}
