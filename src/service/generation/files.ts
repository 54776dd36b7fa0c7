import { mkdir } from 'node:fs/promises'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { isStoredName } from './storage.ts'

const FILE_AGE_MS_MAX = 365 * 24 * 3_600_000

/**
 * `GET` and `HEAD /files/:name`: a stored result, whole or by range. It is open to whoever has the
 * link, for the name is the secret, and the link stays good.
 */
export function createFiles({ mediaDir }: { mediaDir: string }): FastifyPluginAsync {
  return async (app) => {
    await mkdir(mediaDir, { recursive: true })
    await app.register(fastifyStatic, {
      root: mediaDir,
      serve: false,
      index: false,
      dotfiles: 'deny',
      maxAge: FILE_AGE_MS_MAX,
      immutable: true,
    })
    app.get<{ Params: { name: string } }>(
      '/files/:name',
      { exposeHeadRoute: true },
      (request, reply) => {
        const { name } = request.params
        if (!isStoredName(name)) return reply.callNotFound()
        return reply.header('x-content-type-options', 'nosniff').sendFile(name)
      },
    )
  }
}

/** The permanent link to a stored result. */
export function toFileUrl(publicRoot: string, name: string): string {
  return `${publicRoot.replace(/\/+$/, '')}/files/${name}`
}
