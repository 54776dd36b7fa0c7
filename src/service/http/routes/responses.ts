import type { FastifyPluginAsync } from 'fastify'
import { OpenAiError } from '../../../contract/openai/error.ts'
import { OpenAiResponse, OpenAiResponseEvent } from '../../../contract/openai/response-answer.ts'
import { OpenAiResponseRequest } from '../../../contract/openai/response-request.ts'
import { createResponsesWire } from '../../chat/wire/responses-wire.ts'
import { CHAT_HEADERS } from '../answer-chat.ts'
import { BODY_REFUSALS, describeAnswers } from '../answers.ts'
import { type OpenAiRouteDeps, openAiRoute } from '../openai/openai-route.ts'
import { type OpenAiResponseChat, readOpenAiResponse } from '../openai/read-response.ts'
import { QUOTE_QUERY } from '../quote.ts'
import { LIMIT_HEADERS } from '../rate-limit.ts'
import { KEY_REUSED, NO_MODEL } from '../refusals.ts'

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
export function responsesRoute(deps: OpenAiRouteDeps): FastifyPluginAsync {
  return openAiRoute<OpenAiResponseChat>(deps, {
    path: '/responses',
    schema: SCHEMA,
    read: readOpenAiResponse,
    toWire: ({ asked }) => createResponsesWire({ asked, createdAt: new Date() }),
  })
}
