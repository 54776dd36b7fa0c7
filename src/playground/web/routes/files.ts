import type { FastifyInstance, FastifyReply } from 'fastify'
import { readByteRange } from '../../../platform/http/byte-range.ts'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import type { StoredFile } from '../../world/files.ts'
import { openStored } from '../read-stored.ts'
import type { WebDeps } from '../web-deps.ts'

const YEAR_S = 365 * 24 * 3600

/** `GET /files/:id`: the bytes of what messages show, by the id that a file always has. */
export function fileRoute(app: FastifyInstance, { files }: Pick<WebDeps, 'files'>): void {
  app.get<{ Params: { id: string } }>('/files/:id', async ({ params, headers }, reply) => {
    const file = files.byUniqueId(params.id)
    if (file === undefined) throw new PageRefusal(404, 'The file is not kept any more')
    return sendFile(reply, file, headers.range)
  })
}

/** A browser shows pictures, clips and sounds; everything else it saves, so that no file can be a page. */
async function sendFile(
  reply: FastifyReply,
  file: StoredFile,
  rangeHeader: string | undefined,
): Promise<FastifyReply> {
  const stored = await openStored(file)
  if (stored === undefined) throw new PageRefusal(404, 'The file is not kept any more')
  const { size, contentType } = stored
  const range = readByteRange(rangeHeader, size)
  reply.header('accept-ranges', 'bytes')
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new PageRefusal(416, `The file has ${size} bytes`)
  }
  const name = encodeURIComponent(file.fileName.toWellFormed()).replace(/['()*]/g, toHex)
  reply
    .header(
      'content-disposition',
      `${contentType ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
    )
    .header('cache-control', `private, max-age=${YEAR_S}, immutable`)
    .type(contentType ?? 'application/octet-stream')
  if (range === undefined) return reply.header('content-length', size).send(stored.read())
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    .header('content-length', range.end - range.start + 1)
    .send(stored.read(range))
}

function toHex(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`
}
