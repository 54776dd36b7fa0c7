import type { FastifyPluginAsync } from 'fastify'
import {
  OpenAiChatRequest,
  OpenAiCompletion,
  OpenAiCompletionChunk,
  OpenAiError,
} from '../../../contract/openai.ts'
import { compileSchema } from '../../../platform/guard.ts'
import type { ServedModels } from '../../chat/models.ts'
import { type AnswerChat, CHAT_BODY_BYTES_MAX, CHAT_HEADERS } from '../answer-chat.ts'
import { BODY_REFUSALS, describeAnswers } from '../answers.ts'
import { answerOpenAiChat, type OpenAiChat } from '../openai/openai-chat.ts'
import { readOpenAiChat } from '../openai/read-chat.ts'
import { LIMIT_HEADERS } from '../rate-limit.ts'
import { KEY_REUSED, NO_MODEL, Refusal } from '../refusals.ts'

const EVENTS = `data: {"id":"0b6f0f6e","object":"chat.completion.chunk","created":1763800000,"model":"alpha-large","choices":[{"index":0,"delta":{"role":"assistant","content":"A hundredth"},"finish_reason":null}],"usage":null}

data: {"id":"0b6f0f6e","object":"chat.completion.chunk","created":1763800000,"model":"alpha-large","choices":[{"index":0,"delta":{"content":" of a rouble."},"finish_reason":null}],"usage":null}

data: {"id":"0b6f0f6e","object":"chat.completion.chunk","created":1763800000,"model":"alpha-large","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"0b6f0f6e","object":"chat.completion.chunk","created":1763800000,"model":"alpha-large","choices":[],"usage":{"prompt_tokens":24,"completion_tokens":7,"total_tokens":31},"cost_rub":0.0078}

data: [DONE]

`

const SCHEMA = {
  operationId: 'createOpenAiChatCompletion',
  tags: ['openai'],
  summary: 'Answer a conversation in OpenAI’s shape',
  description:
    'The same chats as `POST /chats/completions`: one balance, one limit, the same prices. Tools and a form of ' +
    'the answer go on to a model that can have them. What cannot be ' +
    'done here, and what is not known, is refused by its name. Without `stream` the answer is one ' +
    '`OpenAiCompletion`. With `stream: true` it comes as events: each carries an `OpenAiCompletionChunk`, and ' +
    '`[DONE]` ends the stream; with `stream_options.include_usage` the last of them tells usage and cost. A ' +
    'stream that breaks off in the middle ends with an `OpenAiError` instead, and its estimate stays charged. ' +
    'What the model refuses is 400, and nothing is charged.',
  headers: CHAT_HEADERS,
  body: OpenAiChatRequest,
  response: describeAnswers(OpenAiCompletion, {
    headers: LIMIT_HEADERS,
    refusals: [...BODY_REFUSALS, 402, 403, 409, 429],
    others: { 404: NO_MODEL, 422: KEY_REUSED },
    refusalsAs: 'openai',
    events: { each: [OpenAiCompletionChunk, OpenAiError], example: EVENTS },
  }),
}

/** `POST /chat/completions`: the chats of `POST /chats/completions` for OpenAI's clients. */
export function chatCompletionsRoute({
  models,
  answerChat,
}: {
  models: () => ServedModels
  answerChat: AnswerChat
}): FastifyPluginAsync {
  return async (app) => {
    app.post(
      '/chat/completions',
      {
        bodyLimit: CHAT_BODY_BYTES_MAX,
        schema: SCHEMA,
        validatorCompiler: ({ schema, httpPart }) => {
          if (httpPart !== 'body') return () => true
          const validate = compileSchema(schema as object, { allErrors: false })
          return (body) => {
            const chat = readOpenAiChat(body, validate)
            return chat instanceof Refusal ? { error: chat } : { value: chat }
          }
        },
        config: { refusalsAs: 'openai', keyIsProvenByHold: true },
      },
      async (request, reply) => {
        const chat = request.body as OpenAiChat
        // The messages stay as long as the answer takes, all else can go; the type knows a body to the end.
        request.body = undefined as never
        return await answerOpenAiChat(chat, { models: models(), answerChat, request, reply })
      },
    )
  }
}
