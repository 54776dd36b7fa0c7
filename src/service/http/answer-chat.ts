import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ClientGoneError } from '../chat/chat-client.ts'
import type { Completions } from '../chat/completions.ts'
import { answerStream } from '../chat/completions.ts'
import type { CompletionCost } from '../chat/price.ts'
import type { CheckedChat, CompletionRun } from '../chat/run.ts'
import type { ChatWire, CreateChatWire } from '../chat/wire.ts'
import type { LimitStanding } from '../ledger/errors.ts'
import type { Metrics } from '../metrics.ts'
import { watchClient } from './client-gone.ts'
import { createEventStream } from './event-stream.ts'
import { describeIdempotencyKey, readRepeatable } from './idempotency-key.ts'
import { publishReference } from './publish-requests.ts'
import { CHAT_LIMIT, toLimitHeaders } from './rate-limit.ts'
import { toLogLine } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    answering: Promise<unknown> | undefined
  }
}

/** A full context of Russian text takes 8 to 12 MB, 28 MB with every letter escaped. */
export const CHAT_BODY_BYTES_MAX = 32 * 1024 * 1024

/** The headers of a chat request, for the OpenAPI document. */
export const CHAT_HEADERS = Type.Object(
  describeIdempotencyKey(
    'A repeat of a plain chat with the same key gets the answer of the first and is not charged again; until there is ' +
      'one it is refused with 409. With another body, at another path, or with `stream`, the key is refused.',
  ),
)

/** A chat request, and the form in which its answer is wanted. */
export interface AskedChat
  extends Pick<CheckedChat, 'model' | 'messages' | 'promptTokens' | 'maxTokens' | 'parameters'> {
  isStreamed: boolean
  createWire: CreateChatWire
}

/** Answers one chat request. A refusal is thrown. */
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
  return async (asked, { request, reply }) => {
    const { model, messages, promptTokens, maxTokens, parameters, isStreamed, createWire } = asked
    const repeatable = readRepeatable(request, asked, { isStreamed })
    const client = watchClient(reply)
    const chat = {
      model,
      messages,
      promptTokens,
      maxTokens,
      parameters,
      repeatable,
      accountId: request.account.id,
      keyId: request.account.keyId,
      limit: CHAT_LIMIT,
      client,
      onUpstream: (upstream: string) => {
        request.answeredBy = { model: model.id, upstream }
      },
      log: request.log,
    }
    const onStanding = (standing: LimitStanding) => void reply.headers(toLimitHeaders(standing))
    if (!isStreamed) {
      const answerWhole = async (run: CompletionRun) => {
        publishReference(request, run.requestId)
        const answer = await answerPlain(run, createWire(run))
        const { requestId } = run
        if (client.hasLeft) request.log.info({ requestId }, 'client left, its answer is charged')
        return answer
      }
      const answering = completions.run(chat, answerWhole, onStanding)
      request.answering = answering
      return await answering
    }
    const sink = createEventStream(reply, client)
    const endStream = metrics.streamOpened()
    const streamAnswer = async (run: CompletionRun) => {
      publishReference(request, run.requestId)
      const onError = (error: unknown) => {
        const line = toLogLine(error)
        if (error instanceof ClientGoneError) request.log.info('client left a stream')
        else if (line !== undefined) {
          request.log.warn({ ...line, requestId: run.requestId }, 'stream broke')
        }
      }
      await answerStream(run, { wire: createWire(run), sink, onError })
    }
    const streaming = completions.run(chat, streamAnswer, onStanding)
    request.answering = streaming
    await streaming.finally(endStream)
    return reply
  }
}

/**
 * Answers with one JSON body when everything is there. If the provider breaks off in the middle,
 * nothing was delivered, and nothing is charged.
 */
async function answerPlain(run: CompletionRun, wire: Pick<ChatWire, 'plain'>): Promise<object> {
  const { answer, ...finish } = await run.plain()
  let body: object | undefined
  // The ids in it are made once: a repeat is given what the first was.
  const toBody = (cost: CompletionCost) => {
    body ??= wire.plain(answer, finish.finishReason, cost)
    return body
  }
  return toBody(await run.settle(finish, toBody))
}
