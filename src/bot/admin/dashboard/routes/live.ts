import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { DashboardRefusal } from '../http/refusal.ts'
import type { LiveStream, LiveStreams } from '../live-streams.ts'

/** One that has just left is noticed within this time. */
const TOO_MANY_MS = 10_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

export interface LiveRooms {
  liveStreams: Pick<LiveStreams, 'open' | 'close'>
}

/** `GET /live`: figures as they change, as a stream of events. */
export function liveRoute(rooms: () => LiveRooms): FastifyPluginAsync {
  return async (app) => {
    app.get(
      '/live',
      { exposeHeadRoute: false },
      async ({ visitor }, reply): Promise<FastifyReply> => {
        const { liveStreams } = rooms()
        const stream: LiveStream = { ...visitor, ...writerOf(reply.raw) }
        if (!liveStreams.open(stream)) {
          const retryAfterMs = TOO_MANY_MS
          throw new DashboardRefusal(429, 'Too many pages are open.', { retryAfterMs })
        }
        reply.raw.once('close', () => liveStreams.close(stream))
        reply.hijack()
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value)
        }
        reply.raw.writeHead(200, HEADERS).flushHeaders()
        return reply
      },
    )
  }
}

function writerOf(raw: ServerResponse): Pick<LiveStream, 'write' | 'end'> {
  // A write that races the client's leaving errs; `close` follows.
  raw.on('error', () => {})
  return {
    write(text) {
      if (raw.destroyed || raw.writableNeedDrain) return false
      raw.write(text)
      return true
    },
    end: (text = '') => void raw.end(text),
  }
}
