import type { FastifyPluginAsync } from 'fastify'
import { OpenAiError } from '../../../contract/openai/error.ts'
import { OpenAiResponse, OpenAiResponseEvent } from '../../../contract/openai/response-answer.ts'
import { OpenAiResponseRequest } from '../../../contract/openai/response-request.ts'
import { compileSchema } from '../../../platform/guard.ts'
import type { ServedModels } from '../../chat/models.ts'
import { createResponsesWire } from '../../chat/wire/responses-wire.ts'
import { type AnswerChat, CHAT_BODY_BYTES_MAX, CHAT_HEADERS } from '../answer-chat.ts'
import { BODY_REFUSALS, describeAnswers } from '../answers.ts'
import { answerOpenAiChat } from '../openai/openai-chat.ts'
import { type OpenAiResponseChat, readOpenAiResponse } from '../openai/read-response.ts'
import { QUOTE_QUERY } from '../quote.ts'
import { LIMIT_HEADERS } from '../rate-limit.ts'
import { KEY_REUSED, NO_MODEL, Refusal } from '../refusals.ts'

const EVENTS = `event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_4c1f1d0a","output_index":0,"content_index":0,"delta":"A hundredth","logprobs":[]}

`

const SCHEMA = {
  operationId: 'createOpenAiResponse',
  tags: ['openai'],
  summary: 'Answer a conversation in the shape of OpenAI’s Responses',
  description:
    'The same chats as `POST /chat/completions`: one balance, one limit, the same prices and refusals. Nothing is ' +
    'stored, so that the whole conversation comes with every request. With `stream: true` the answer comes as ' +
    'events that name themselves; `response.completed` or `response.incomplete` is the last of them and tells ' +
    'usage and cost. A stream that breaks off in the middle ends with `error` instead, and its estimate stays ' +
    'charged.',
  headers: CHAT_HEADERS,
  querystring: QUOTE_QUERY,
  body: OpenAiResponseRequest,
  response: describeAnswers(OpenAiResponse, {
    headers: LIMIT_HEADERS,
    refusals: [...BODY_REFUSALS, 402, 403, 409, 429],
    others: { 404: NO_MODEL, 422: KEY_REUSED },
    refusalsAs: 'openai',
    events: { each: [OpenAiResponseEvent, OpenAiError], example: EVENTS },
  }),
}

/** `POST /responses`: the chats of `POST /chat/completions` for clients of the newer shape. */
export function responsesRoute({
  models,
  answerChat,
}: {
  models: () => ServedModels
  answerChat: AnswerChat
}): FastifyPluginAsync {
  return async (app) => {
    app.post<{ Body: OpenAiResponseChat }>(
      '/responses',
      {
        bodyLimit: CHAT_BODY_BYTES_MAX,
        schema: SCHEMA,
        validatorCompiler: ({ schema, httpPart }) => {
          if (httpPart !== 'body') return () => true
          const validate = compileSchema(schema as object, { allErrors: false })
          return (body) => {
            const read = readOpenAiResponse(body, validate)
            return read instanceof Refusal ? { error: read } : { value: read }
          }
        },
        config: { refusalsAs: 'openai', keyIsProvenByHold: true },
      },
      async (request, reply) => {
        const { asked, ...chat } = request.body
        // The messages stay as long as the answer takes, all else can go.
        request.body = undefined as never
        const createWire = createResponsesWire({ asked, createdAt: new Date() })
        return await answerOpenAiChat(chat, {
          models: models(),
          answerChat,
          createWire,
          request,
          reply,
        })
      },
    )
  }
}
