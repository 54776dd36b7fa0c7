import type { FastifyPluginAsync } from 'fastify'
import { ChatRequest, ChatResponse } from '../../../contract/chat.ts'
import { answerPlain } from '../../chat/answer-plain.ts'
import { answerStream } from '../../chat/answer-stream.ts'
import { checkChatRequest } from '../../chat/check-request.ts'
import { ClientGoneError } from '../../chat/client-gone-error.ts'
import type { Completions } from '../../chat/completions.ts'
import type { ServedModels } from '../../chat/models.ts'
import type { Metrics } from '../../metrics.ts'
import { BODY_REFUSALS, describeAnswers } from '../answers.ts'
import { abortWhenGone } from '../client-gone.ts'
import { Refusal } from '../errors.ts'
import { createEventStream } from '../event-stream.ts'
import { CHAT_LIMIT } from '../rate-limit.ts'

/** A full context of Russian text takes 8 to 28 MB, more with every letter escaped. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

const EVENTS = `data: {"id":"0b6f0f6e","object":"chat.completion.chunk","model":"alpha-large","choices":[{"index":0,"delta":{"content":"A hundredth of a rouble."},"finish_reason":null}]}

data: {"id":"0b6f0f6e","object":"chat.completion.chunk","model":"alpha-large","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":24,"completion_tokens":7,"total_tokens":31},"cost_rub":0.0078,"cost_coins":0.0078}

data: [DONE]

`

const SCHEMA = {
  tags: ['chat'],
  summary: 'Answer a conversation',
  description:
    'An estimate is taken from the balance first and corrected to the real usage after the answer. ' +
    'With `stream: true` the answer comes as events. Each carries a `ChatChunk`, the last of them with ' +
    'usage and cost, and `[DONE]` ends the stream. An answer that breaks off in the middle ends with a ' +
    '`ChatStreamError` instead, and its estimate stays charged.',
  body: ChatRequest,
  response: describeAnswers(ChatResponse, {
    refusals: [...BODY_REFUSALS, 402, 429, 502],
    problemsAs: 'text',
    eventExample: EVENTS,
  }),
}

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
        schema: SCHEMA,
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
          // Unknown fields are left out: they may be nested without end.
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
