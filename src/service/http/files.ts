import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { toContentType } from '../../platform/http/media-type.ts'
import type { Bucket } from '../storage/bucket.ts'
import { FOLDER_MODE, isStoredName } from '../storage/storage.ts'
import type { HttpContext } from './context.ts'

const FILE_AGE_MS_MAX = 365 * 24 * 3_600_000

/** `GET` and `HEAD /files/:name`: a stored result. The name is the secret, and outlives a move of the storage. */
export function filesRoute({
  mediaDir,
  bucket,
  bucketUrl,
}: Pick<HttpContext, 'mediaDir' | 'bucket' | 'bucketUrl'>): FastifyPluginAsync {
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
    app.get<{ Params: { name: string } }>(
      '/files/:name',
      { exposeHeadRoute: true },
      async (request, reply) => {
        const { name } = request.params
        if (!isStoredName(name)) return refuse(reply)
        reply.header('x-content-type-options', 'nosniff')
        if (await isThere(join(mediaDir, name))) return reply.sendFile(name)
        if (bucket === undefined) return refuse(reply)
        if (bucketUrl !== undefined) {
          return reply.redirect(`${bucketUrl.replace(/\/+$/, '')}/${name}`)
        }
        return await sendObject(bucket, name, { request, reply })
      },
    )
  }
}

function refuse(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ detail: 'There is no such path.' })
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

async function sendObject(
  bucket: Pick<Bucket, 'read'>,
  name: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { range } = request.headers
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const answer = await bucket.read(name, { method, range }).catch((error: unknown) => {
    request.log.error({ err: error }, 'bucket not reached')
    return undefined
  })
  if (answer === undefined || ![200, 206, 416].includes(answer.status)) {
    answer?.body.destroy()
    if (answer?.status === 404) refuse(reply)
    else reply.code(503).send({ detail: 'The file cannot be read now.' })
    return reply
  }
  const { status, headers, body } = answer
  for (const header of ['content-length', 'content-range']) {
    if (headers[header] !== undefined) reply.header(header, headers[header])
  }
  return reply
    .code(status)
    .header('content-type', toContentType(name))
    .header('accept-ranges', 'bytes')
    .header('cache-control', `public, max-age=${FILE_AGE_MS_MAX / 1000}, immutable`)
    .send(body)
}
