import { access } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { DashboardRefusal } from './refusal.ts'

/** Where `npm run pages` puts the page. */
export const PAGE_DIR = join(import.meta.dirname, '../../../../../build/admin')

/** What is there has a hash of its bytes in its name. */
const HASHED_DIR = 'assets/'
const YEAR_S = 365 * 24 * 3600

/**
 * `GET /admin/` and the files that the page needs. They hold no data, so everybody may have them.
 *
 * What has a hash in its name never changes; the page itself is asked for each time.
 */
export function pageFiles(pageDir: string): FastifyPluginAsync {
  return async (app) => {
    await app.register(fastifyStatic, {
      root: pageDir,
      index: false,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (reply, path) => reply.header('cache-control', cacheControlOf(path)),
    })
    // The page's addresses are relative, so that it may stand below any path: for that it needs the slash.
    // The browser keeps what follows a `#`.
    app.get('', (_request, reply) => reply.redirect('admin/', 308))
    app.get('/', { prefixTrailingSlash: 'slash' }, async (_request, reply) => {
      if (!(await isBuilt())) {
        throw new DashboardRefusal(503, 'The page is not built: npm run pages.')
      }
      return reply.sendFile('index.html')
    })
  }

  function cacheControlOf(path: string): string {
    const isHashed = path.startsWith(join(pageDir, HASHED_DIR))
    return isHashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
  }

  async function isBuilt(): Promise<boolean> {
    return access(join(pageDir, 'index.html')).then(
      () => true,
      () => false,
    )
  }
}
