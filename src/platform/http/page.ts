import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const HASHED_DIR = 'assets/'
const YEAR_S = 365 * 24 * 3600

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

/** Serves `/` and the files of a page. Names in `assets/` hold a hash, so these files never change. */
export async function servePageFiles(app: FastifyInstance, pageDir: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: pageDir,
    serve: false,
    index: false,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (reply, path) => reply.header('cache-control', cacheControlOf(path)),
  })
  app.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) => reply.sendFile('index.html'))
  app.get<{ Params: { '*': string } }>(`/${HASHED_DIR}*`, (request, reply) =>
    reply.sendFile(HASHED_DIR + request.params['*']),
  )

  function cacheControlOf(path: string): string {
    const isHashed = path.startsWith(join(pageDir, HASHED_DIR))
    return isHashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
  }
}

/** Returns the headers of every answer of a page's server. Only that server may provide scripts, styles and data. */
export function pageHeaders(directives: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
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
