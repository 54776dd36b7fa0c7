import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import {
  ChatChunk,
  type ChatMessage,
  ChatRequest,
  ChatResponse,
  ChatStreamError,
} from '../../../contract/chat.ts'
import type { ServedModels } from '../../chat/models.ts'
import { checkChatRequest } from '../../chat/models.ts'
import { createInterfaceWire } from '../../chat/wire.ts'
import { type AnswerChat, CHAT_BODY_BYTES_MAX, CHAT_HEADERS } from '../answer-chat.ts'
import { BODY_REFUSALS, describeAnswers } from '../answers.ts'
import { LIMIT_HEADERS } from '../rate-limit.ts'
import { Refusal } from '../refusals.ts'

const EVENTS = `data: {"id":"0b6f0f6e","object":"chat.completion.chunk","model":"alpha-large","choices":[{"index":0,"delta":{"content":"A hundredth of a rouble."},"finish_reason":null}]}

data: {"id":"0b6f0f6e","object":"chat.completion.chunk","model":"alpha-large","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":24,"completion_tokens":7,"total_tokens":31},"cost_rub":0.0078,"cost_coins":0.0078}

data: [DONE]

`

const SCHEMA = {
  operationId: 'createChatCompletion',
  tags: ['chat'],
  summary: 'Answer a conversation',
  description:
    'An estimate is taken from the balance first and corrected to the real usage after the answer. ' +
    '`model`, `messages`, `max_tokens` and `stream` are all that it reads; other fields are ignored, and ' +
    '`POST /chat/completions` takes tools and what else shapes an answer. ' +
    'Without `stream` the answer is one `ChatResponse`. With `stream: true` it comes as events: each carries a ' +
    '`ChatChunk`, the last of them with usage and cost, and `[DONE]` ends the stream. A stream that breaks off in ' +
    'the middle ends with a `ChatStreamError` instead, and its estimate stays charged.',
  headers: CHAT_HEADERS,
  body: ChatRequest,
  response: describeAnswers(ChatResponse, {
    headers: LIMIT_HEADERS,
    refusals: [...BODY_REFUSALS, 402, 403, 409, 429, 502],
    refusalsAs: 'sentence',
    events: { each: [ChatChunk, ChatStreamError], example: EVENTS },
  }),
}

/** `POST /chats/completions`. */
export function chatsCompletionsRoute({
  models,
  answerChat,
}: {
  models: () => ServedModels
  answerChat: AnswerChat
}): FastifyPluginAsync {
  return async (app) => {
    app.post<{ Body: ChatRequest }>(
      '/chats/completions',
      {
        bodyLimit: CHAT_BODY_BYTES_MAX,
        schema: SCHEMA,
        config: { refusalsAs: 'sentence', keyIsProvenByHold: true },
      },
      async (request, reply) => {
        const isStreamed = request.body.stream === true
        const checked = checkChatRequest(request.body, models())
        if (checked.problems !== undefined) throw new Refusal(422, checked.problems)
        const { model, promptTokens, maxTokens } = checked
        const messages = takeMessages(request)
        return await answerChat(
          { model, messages, promptTokens, maxTokens, isStreamed, createWire: createInterfaceWire },
          { request, reply },
        )
      },
    )
  }
}

/** Lets go of the body: its unknown fields may be as large as the rest, and the answer takes its time. */
function takeMessages(request: FastifyRequest<{ Body: ChatRequest }>): ChatMessage[] {
  const { messages } = request.body
  // The type knows a body to the end.
  request.body = undefined as never
  return messages.map(({ role, content }) => ({ role, content }))
}
