import { access } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const HASHED_DIR = 'assets/'
const YEAR_S = 365 * 24 * 3600

/** A request of a page that is refused, with the status and the words that a person reads. */
export class PageRefusal extends Error {
  override readonly name: string = 'PageRefusal'
  readonly statusCode: number
  readonly detail: string

  constructor(statusCode: number, detail: string) {
    super(`Refused with ${statusCode}`)
    this.statusCode = statusCode
    this.detail = detail
  }
}

/**
 * Serves `/` and the files that the page needs. They hold no data, so everybody may have them.
 *
 * A file in `assets/` has a hash of its bytes in its name and never changes; the page itself is asked for each time.
 *
 * @param isAlone True if no other route answers what is below the page's path.
 */
export async function servePageFiles(
  app: FastifyInstance,
  { pageDir, isAlone }: { pageDir: string; isAlone: boolean },
): Promise<void> {
  await app.register(fastifyStatic, {
    root: pageDir,
    serve: isAlone,
    index: false,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (reply, path) => reply.header('cache-control', cacheControlOf(path)),
  })
  app.get('/', { prefixTrailingSlash: 'slash' }, async (_request, reply) => {
    if (!(await isBuilt())) throw new PageRefusal(503, 'The page is not built: npm run pages.')
    return reply.sendFile('index.html')
  })
  if (!isAlone) {
    app.get<{ Params: { '*': string } }>(`/${HASHED_DIR}*`, (request, reply) =>
      reply.sendFile(HASHED_DIR + request.params['*']),
    )
  }

  function cacheControlOf(path: string): string {
    const isHashed = path.startsWith(join(pageDir, HASHED_DIR))
    return isHashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
  }

  function isBuilt(): Promise<boolean> {
    return access(join(pageDir, 'index.html')).then(
      () => true,
      () => false,
    )
  }
}

/**
 * Returns the headers of every answer of a page's server, be it a file, data or a refusal. Scripts, styles and data
 * come from that server alone.
 *
 * @param directives The rest of the policy: who may frame the page, and what it shows in frames of its own.
 */
export function pageHeaders({
  images = "'self'",
  directives,
}: {
  images?: string
  directives: readonly string[]
}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...directives,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
}
