import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type ChatMessage, ChatRequest, ChatResponse } from '../../../contract/chat.ts'
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

/** A full context of Russian text takes 8 to 12 MB, 28 MB with every letter escaped. */
const BODY_BYTES_MAX = 32 * 1024 * 1024

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
        const { stream } = request.body
        const checked = checkChatRequest(request.body, models)
        if (checked.problems !== undefined) throw new Refusal(422, checked.problems)
        const controller = abortWhenGone(reply)
        const completion = {
          accountId: request.account.id,
          keyId: request.account.keyId,
          limit: CHAT_LIMIT,
          messages: takeMessages(request),
          model: checked.model,
          promptTokens: checked.promptTokens,
          maxTokens: checked.maxTokens,
          controller,
          log: request.log,
        }
        if (stream !== true) return await completions.run(completion, answerPlain)
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

/** Lets go of the body: its unknown fields may be as large as the rest, and the answer takes its time. */
function takeMessages(request: FastifyRequest<{ Body: ChatRequest }>): ChatMessage[] {
  const { messages } = request.body
  request.body = undefined as never
  return messages.map(({ role, content }) => ({ role, content }))
}
