import type { FastifyPluginAsync } from 'fastify'
import { builtDir } from '../../platform/built-dir.ts'
import { servePageFiles } from '../../platform/http/page-files.ts'
import { pageHeaders } from '../../platform/http/page-headers.ts'
import { PageRefusal } from '../../platform/http/page-refusal.ts'
import { createSwitchedFaults } from './faults.ts'
import { createRefusals } from './http/refusal.ts'
import { admitByKey, requireOwnPage, requireOwnSite } from './http/who-gets-in.ts'
import { createLiveStreams } from './live/live-streams.ts'
import type { PanelSources } from './live/panel-feed.ts'
import { chatRoutes } from './routes/chats.ts'
import { faultRoutes } from './routes/faults.ts'
import { fileRoute } from './routes/files.ts'
import { liveRoute } from './routes/live.ts'
import { messageRoutes } from './routes/messages.ts'
import { miniAppRoutes } from './routes/mini-apps.ts'
import { peopleRoutes } from './routes/people.ts'
import { uploadRoute } from './routes/uploads.ts'
import type { WebDeps } from './web-deps.ts'

/** A file of 20 MB, the largest that bots may fetch, in base64. */
const BODY_BYTES_MAX = 28 * 1024 * 1024

/** Headers of every answer that is not the Bot API's. */
const HEADERS = {
  ...pageHeaders({
    // `blob:` is a file that a person is about to attach.
    images: "'self' blob:",
    directives: [
      "media-src 'self'",
      // Mini Apps of this machine; any other is opened in a tab of its own.
      'frame-src http://127.0.0.1:* http://localhost:*',
      "frame-ancestors 'none'",
    ],
  }),
  'cross-origin-resource-policy': 'same-origin',
}

export interface WebOptions {
  deps: WebDeps & Pick<PanelSources, 'token'>
  /** The key without which nobody gets in; undefined where only this machine reaches the page. */
  key: string | undefined
  /** The folder of the built page. */
  pageDir?: string
}

/** The page of the playground: its files at `/`, and below `/playground` what it reads and does. */
export const webPlugin: FastifyPluginAsync<WebOptions> = async (app, { deps, key, pageDir }) => {
  const switchedFaults = createSwitchedFaults(deps)
  const liveStreams = createLiveStreams(deps, { token: deps.token, switchedFaults })
  deps.closing.addEventListener('abort', liveStreams.stop, { once: true })

  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_BYTES_MAX },
    app.getDefaultJsonParser('error', 'error'),
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    requireOwnPage(request)
    const cookie = `playground_${deps.world.me.id}`
    if (key !== undefined && admitByKey(request, reply, { key, cookie })) return reply
  })
  app.setErrorHandler(createRefusals(deps))
  await servePageFiles(app, { pageDir: pageDir ?? builtDir('playground'), isAlone: false })
  await app.register(
    async (playground) => {
      playground.addHook('onRequest', async (request) => requireOwnSite(request))
      // A person's step may change things of which no change is emitted.
      playground.addHook('onResponse', async ({ method }) => {
        if (method === 'GET') return
        liveStreams.look()
        liveStreams.lookAtPanel()
      })
      messageRoutes(playground, deps)
      chatRoutes(playground, deps)
      miniAppRoutes(playground, deps)
      fileRoute(playground, deps)
      await playground.register(uploadRoute, { deps })
      peopleRoutes(playground, deps)
      faultRoutes(playground, switchedFaults)
      liveRoute(playground, deps, liveStreams)
      playground.all('/*', async () => {
        throw new PageRefusal(404, 'There is nothing here')
      })
    },
    { prefix: '/playground' },
  )
}
