import type { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import type { FileKind } from '../../world/files.ts'
import type { FileAnswer } from '../api.ts'
import { readId } from '../http/read-fields.ts'
import { checkUploadLength, fileBytesMax, takeUpload } from '../take-upload.ts'
import { toWireMessages } from '../to-wire/message.ts'
import type { WebDeps } from '../web-deps.ts'
import { enter } from './enter-chat.ts'

/** The kinds that a client sends; a sticker has to be in a set. */
const KINDS = ['photo', 'document', 'voice', 'video', 'audio'] as const

interface UploadRoute {
  Params: { id: string }
  Querystring: UploadQuery
  Body: Readable | null
}

interface UploadQuery {
  user_id?: string
  kind?: string
  file_name?: string
  mime?: string
  caption?: string
  thread_id?: string
  reply_to_message_id?: string
  media_group_id?: string
  width?: string
  height?: string
  duration?: string
}

/** The files that people send. In a scope of its own: here a body is a file also where it is JSON. */
export const uploadRoute: FastifyPluginAsync<{ deps: WebDeps }> = async (app, { deps }) => {
  const { files, world, control } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.post<UploadRoute>('/chats/:id/files', async (request): Promise<FileAnswer> => {
    const { params, query, body, headers } = request
    const kind = kindOf(query)
    const thread = readThread(params.id, query)
    checkUploadLength(headers['content-length'], fileBytesMax(files))
    if (body === null) throw new PageRefusal(422, 'The file is empty')
    const { file_name: fileName = kind, mime = '', caption } = query
    const kept = await takeUpload(body, { kind, fileName, mime }, files)
    try {
      if (kind === 'photo' && kept.picture === undefined) {
        throw new PageRefusal(422, 'That is no picture that can be shown: send it as a file')
      }
      const content = { [kind]: { kept, ...readFacts(query) }, ...(caption && { caption }) }
      return { messages: toWireMessages([control.userSends({ ...thread, ...content })], world) }
    } catch (error) {
      // No message has it.
      files.drop(kept)
      throw error
    }
  })

  /** Checks the chat thread before the file is taken in. */
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

function kindOf({ kind: given }: UploadQuery): FileKind {
  const kind = KINDS.find((known) => known === given)
  if (kind === undefined) throw new PageRefusal(422, `kind is one of ${KINDS.join(', ')}`)
  return kind
}

function idOf(given: string | undefined, what: string): number | undefined {
  return given === undefined || given === '' ? undefined : readId(given, what)
}

/** Reads the facts that the page saw when it played the file before sending it. */
function readFacts({ width, height, duration }: UploadQuery) {
  const sides = { width: countOf(width), height: countOf(height) }
  return {
    duration: countOf(duration),
    sides: sides.width > 0 && sides.height > 0 ? sides : undefined,
  }
}

function countOf(given = ''): number {
  return /^\d{1,5}(\.\d+)?$/.test(given) ? Math.round(Number(given)) : 0
}
