import type { FastifyInstance, FastifyReply } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import type { LiveStream, LiveStreams } from '../live/live-streams.ts'
import { createWriter } from '../live/writer.ts'
import type { WebDeps } from '../web-deps.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

interface LiveRoute {
  Querystring: { as?: string; panel?: string }
}

/** `GET /live`: what a person sees, as it changes. Somebody who is not known is shown the first person. */
export function liveRoute(
  app: FastifyInstance,
  { world }: Pick<WebDeps, 'world'>,
  liveStreams: LiveStreams,
): void {
  app.get<LiveRoute>('/live', { exposeHeadRoute: false }, async ({ query }, reply) => {
    const [first] = world.people.keys()
    const userId = world.people.has(Number(query.as)) ? Number(query.as) : first
    if (userId === undefined) throw new PageRefusal(404, 'Nobody is here yet')
    return follow(reply, { userId, hasPanel: query.panel === '1' }, liveStreams)
  })
}

function follow(
  reply: FastifyReply,
  page: Pick<LiveStream, 'userId' | 'hasPanel'>,
  liveStreams: LiveStreams,
): FastifyReply {
  const { raw } = reply
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value)
  }
  raw.writeHead(200, HEADERS).flushHeaders()
  const { send, end } = createWriter(raw)
  const stream: LiveStream = { userId: page.userId, hasPanel: page.hasPanel, send, end }
  raw.once('close', () => liveStreams.close(stream))
  if (!liveStreams.open(stream)) raw.end()
  return reply
}
