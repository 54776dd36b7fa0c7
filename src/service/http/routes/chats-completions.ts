import type { FastifyPluginAsync } from 'fastify'
import { ChatRequest, ChatResponse } from '../../../contract/chat.ts'
import { compileSchema } from '../../../guard.ts'
import { answerPlain } from '../../chat/answer-plain.ts'
import { answerStream } from '../../chat/answer-stream.ts'
import { checkChatRequest } from '../../chat/check-request.ts'
import type { Completions } from '../../chat/completions.ts'
import type { ServedModels } from '../../chat/models.ts'
import type { Metrics } from '../../metrics.ts'
import { abortWhenGone, ClientGoneError } from '../client-gone.ts'
import { Refusal } from '../errors.ts'
import { createEventStream } from '../event-stream.ts'
import { CHAT_LIMIT } from '../rate-limit.ts'

/** A full context of Russian text takes 8 to 28 MB, more with every letter escaped. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** `POST /chats/completions`. */
export function chatsCompletionsRoute({
  models,
  completions,
  metrics,
}: {
  models: ServedModels
  completions: Completions
  metrics: Pick<Metrics, 'streamOpened'>
}): FastifyPluginAsync {
  return async (app) => {
    app.post<{ Body: ChatRequest }>(
      '/chats/completions',
      {
        bodyLimit: BODY_BYTES_MAX,
        schema: { body: ChatRequest, response: { 200: ChatResponse } },
        validatorCompiler: () => compileSchema(ChatRequest, { allErrors: false }),
        config: { problemsAs: 'text', keyIsProvenByHold: true },
      },
      async (request, reply) => {
        const checked = checkChatRequest(request.body, models)
        if (checked.problems !== undefined) throw new Refusal(422, checked.problems)
        const controller = abortWhenGone(reply)
        const completion = {
          accountId: request.account.id,
          keyId: request.account.keyId,
          limit: CHAT_LIMIT,
          // Fields that nobody knows stay here: they may be nested without end.
          messages: request.body.messages.map(({ role, content }) => ({ role, content })),
          model: checked.model,
          promptTokens: checked.promptTokens,
          maxTokens: checked.maxTokens,
          controller,
          log: request.log,
        }
        if (request.body.stream !== true) return await completions.run(completion, answerPlain)
        const sink = createEventStream(reply, controller)
        const noteEnd = metrics.streamOpened()
        const streaming = completions.run(completion, (open) =>
          answerStream(open, sink, (error) => {
            if (error instanceof ClientGoneError) request.log.info('client left a stream')
            else request.log.warn({ err: error, requestId: open.requestId }, 'stream broke')
          }),
        )
        await streaming.finally(noteEnd)
        return reply
      },
    )
  }
}
