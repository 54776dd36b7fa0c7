import { mkdir } from 'node:fs/promises'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { FOLDER_MODE, isStoredName } from '../generation/storage.ts'

const FILE_AGE_MS_MAX = 365 * 24 * 3_600_000

/** `GET` and `HEAD /files/:name`: a stored result. The name is the secret. */
export function filesRoute(mediaDir: string): FastifyPluginAsync {
  return async (app) => {
    await mkdir(mediaDir, { recursive: true, mode: FOLDER_MODE })
    await app.register(fastifyStatic, {
      root: mediaDir,
      serve: false,
      index: false,
      dotfiles: 'deny',
      maxAge: FILE_AGE_MS_MAX,
      immutable: true,
    })
    app.get<{ Params: { name: string } }>('/files/:name', async ({ params: { name } }, reply) => {
      if (!isStoredName(name)) return reply.callNotFound()
      reply.header('x-content-type-options', 'nosniff')
      return reply.sendFile(name)
    })
  }
}
