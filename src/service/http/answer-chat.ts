import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerPlain } from '../chat/answer-plain.ts'
import { answerStream } from '../chat/answer-stream.ts'
import { ClientGoneError } from '../chat/client-gone-error.ts'
import type { CheckedChat } from '../chat/completion.ts'
import type { Completions } from '../chat/completions.ts'
import type { CreateChatWire } from '../chat/wire/chat-wire.ts'
import type { Metrics } from '../metrics.ts'
import { abortWhenGone } from './client-gone.ts'
import { toLogLine } from './errors.ts'
import { createEventStream } from './event-stream.ts'
import { CHAT_LIMIT } from './rate-limit.ts'

/** A full context of Russian text takes 8 to 12 MB, 28 MB with every letter escaped. */
export const CHAT_BODY_BYTES_MAX = 32 * 1024 * 1024

/** What a request asks for, and how it wants it. */
export interface AskedChat
  extends Pick<CheckedChat, 'model' | 'messages' | 'promptTokens' | 'maxTokens' | 'parameters'> {
  isStreamed: boolean
  createWire: CreateChatWire
}

/** Answers one chat request; whatever is refused is thrown. */
export type AnswerChat = (
  asked: AskedChat,
  http: { request: FastifyRequest; reply: FastifyReply },
) => Promise<object>

/** Answers the chats of every route that has them: one limit, one ledger, and a wire for each client. */
export function createAnswerChat({
  completions,
  metrics,
}: {
  completions: Completions
  metrics: Pick<Metrics, 'streamOpened'>
}): AnswerChat {
  return async ({ isStreamed, createWire, ...asked }, { request, reply }) => {
    const controller = abortWhenGone(reply)
    const chat = {
      ...asked,
      accountId: request.account.id,
      keyId: request.account.keyId,
      limit: CHAT_LIMIT,
      controller,
      noteUpstream: (upstream: string) => {
        request.answeredBy = { model: asked.model.id, upstream }
      },
      log: request.log,
    }
    if (!isStreamed) {
      return await completions.run(chat, (open) => answerPlain(open, { wire: createWire(open) }))
    }
    const sink = createEventStream(reply, controller)
    const noteEnd = metrics.streamOpened()
    const streaming = completions.run(chat, (open) => {
      const onError = (error: unknown) => {
        const line = toLogLine(error)
        if (error instanceof ClientGoneError) request.log.info('client left a stream')
        else if (line !== undefined) {
          request.log.warn({ ...line, requestId: open.requestId }, 'stream broke')
        }
      }
      return answerStream(open, { wire: createWire(open), sink, onError })
    })
    await streaming.finally(noteEnd)
    return reply
  }
}
