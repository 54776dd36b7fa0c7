import { access } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { WebRefusal } from './refusal.ts'

/** Where `npm run pages` puts the page. */
export const PAGE_DIR = join(import.meta.dirname, '../../../../build/playground')

/** `GET /` and the files that the page needs. What has a hash in its name never changes. */
export async function servePageFiles(app: FastifyInstance, pageDir: string): Promise<void> {
  await app.register(fastifyStatic, { root: pageDir, serve: false, cacheControl: false })

  app.get('/', async (_request, reply) => {
    const isBuilt = await access(join(pageDir, 'index.html')).then(
      () => true,
      () => false,
    )
    if (!isBuilt) throw new WebRefusal(503, 'The page is not built: npm run pages.')
    return reply.header('cache-control', 'no-cache').sendFile('index.html')
  })

  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .sendFile(`assets/${request.params['*']}`),
  )
}
