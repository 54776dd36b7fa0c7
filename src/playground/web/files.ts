import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { readByteRange } from '../../platform/http/byte-range.ts'
import { recogniseMedia } from '../../platform/http/media-type.ts'
import { PageRefusal } from '../../platform/http/page.ts'
import type { StoredBytes } from '../world/files.ts'
import type { FileAnswer } from './api.ts'
import { enter } from './chat-routes.ts'
import { readId } from './read-fields.ts'
import { toWireMessages } from './to-wire.ts'
import type { WebDeps } from './web-deps.ts'

const YEAR_S = 365 * 24 * 3600
/** The kinds that a client sends; a sticker has to be in a set. */
const KINDS = ['photo', 'document', 'voice', 'video', 'audio'] as const

/** `GET /files/:id`: the bytes of a file by its file id. */
export function fileRoute(app: FastifyInstance, { files, state }: WebDeps): void {
  app.get<{ Params: { id: string } }>('/files/:id', async ({ params, headers }, reply) => {
    const file = state.files.get(params.id)
    const stored = file && files.open(file)
    if (stored === undefined) throw new PageRefusal(404, 'The file is not kept any more')
    return sendFile(reply, { ...stored, fileName: file?.fileName ?? '' }, headers.range)
  })
}

/** Lets the browser show pictures, videos and sounds, and save everything else: no file can be a page. */
function sendFile(
  reply: FastifyReply,
  { size, head, read, fileName }: StoredBytes & { fileName: string },
  rangeHeader: string | undefined,
): FastifyReply {
  const contentType = recogniseMedia(head())?.contentType
  const range = readByteRange(rangeHeader, size)
  reply.header('accept-ranges', 'bytes')
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new PageRefusal(416, `The file has ${size} bytes`)
  }
  const toHex = (character: string) => `%${character.charCodeAt(0).toString(16)}`
  const name = encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, toHex)
  const disposition = contentType ? 'inline' : 'attachment'
  reply
    .header('content-disposition', `${disposition}; filename*=UTF-8''${name}`)
    .header('cache-control', `private, max-age=${YEAR_S}, immutable`)
    .type(contentType ?? 'application/octet-stream')
  if (range === undefined) return reply.header('content-length', size).send(read())
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    .header('content-length', range.end - range.start + 1)
    .send(read(range))
}

type UploadQuery = Partial<
  Record<
    | 'user_id'
    | 'kind'
    | 'file_name'
    | 'mime'
    | 'caption'
    | 'thread_id'
    | 'reply_to_message_id'
    | 'media_group_id',
    string
  >
>

interface UploadRoute {
  Params: { id: string }
  Querystring: UploadQuery
  Body: Readable | null
}

/** Receives the files that people send, in a scope of its own: here even JSON is a file. */
export const uploadRoute: FastifyPluginAsync<{ deps: WebDeps }> = async (app, { deps }) => {
  const { files, world, control } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.post<UploadRoute>('/chats/:id/files', async (request): Promise<FileAnswer> => {
    const { params, query, body, headers } = request
    const kind = KINDS.find((known) => known === query.kind)
    if (kind === undefined) throw new PageRefusal(422, `kind is one of ${KINDS.join(', ')}`)
    const thread = readThread(params.id, query)
    const bytesMax = files.sentBytesMax
    if (Number(headers['content-length']) > bytesMax) throw tooLarge(bytesMax)
    if (body === null) throw new PageRefusal(422, 'The file is empty')
    const { file_name: fileName = kind, mime = '', caption } = query
    const kept = await files.receive({ kind, fileName, mime }, limited(body, bytesMax))
    try {
      if (kind === 'photo' && kept.picture === undefined) {
        throw new PageRefusal(422, 'That is no picture that can be shown: send it as a file')
      }
      const content = { [kind]: { kept }, ...(caption && { caption }) }
      return { messages: toWireMessages([control.userSends({ ...thread, ...content })], world) }
    } catch (error) {
      // No message has it.
      files.drop(kept)
      throw error
    }
  })

  /** Checks the chat thread before the file is received. */
  function readThread(id: string, query: UploadQuery) {
    const given = { chatId: readId(id), userId: readId(query.user_id ?? id, 'user_id') }
    const { userId, chatId, chat } = enter(given, deps)
    if (chat.type === 'private' && world.personOf(userId).blockedBot) {
      throw new PageRefusal(400, `User ${userId} blocked the bot`)
    }
    return {
      userId,
      chatId,
      threadId: idOf(query.thread_id, 'thread_id'),
      replyToMessageId: idOf(query.reply_to_message_id, 'reply_to_message_id'),
      mediaGroupId: query.media_group_id,
    }
  }
}

function idOf(given: string | undefined, what: string): number | undefined {
  return given === undefined || given === '' ? undefined : readId(given, what)
}

async function* limited(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > bytesMax) throw tooLarge(bytesMax)
    yield piece
  }
}

function tooLarge(bytesMax: number): PageRefusal {
  return new PageRefusal(413, `The file is larger than ${bytesMax / 1024 / 1024} MiB`)
}
