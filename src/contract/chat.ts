/** Wire format of chats, of `GET /chats/models` and of refusals: the schemas that the service validates and documents. */
import { type Static, type TSchema, Type } from 'typebox'
import { toJsonObject } from '../platform/http/json.ts'

export function nullable<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Union([schema, Type.Null()], { ...(description !== undefined && { description }) })
}

/** The schema of a field that may be omitted; `null` is as omitted. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(nullable(schema))
}

export const ChatMessage = Type.Object({
  role: Type.Enum(['system', 'user', 'assistant']),
  content: Type.String({ minLength: 1 }),
})
export type ChatMessage = Static<typeof ChatMessage>

/** Body of `POST /chats/completions`. Unknown fields are ignored. */
export const ChatRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  max_tokens: optional(Type.Integer({ minimum: 1 })),
  stream: optional(Type.Boolean()),
})
export type ChatRequest = Static<typeof ChatRequest>

const Tokens = Type.Integer({ minimum: 0 })
const CachedTokens = Type.Integer({
  minimum: 0,
  description: 'Tokens of the prompt that the provider had cached, if it reports them.',
})
const ReasoningTokens = Type.Integer({
  minimum: 0,
  description: 'Tokens of the completion that the model thought with, if it reports them.',
})

export const ChatUsage = Type.Object({
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  total_tokens: Tokens,
  prompt_tokens_details: Type.Optional(Type.Object({ cached_tokens: CachedTokens })),
  completion_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: ReasoningTokens })),
})
export type ChatUsage = Static<typeof ChatUsage>

const Reasoning = Type.String({
  description: 'The thoughts before the answer, if the model reports them.',
})

/** Plain answer of `POST /chats/completions`. `cost_coins` repeats `cost_rub` for old clients. */
export const ChatResponse = Type.Object({
  request_id: Type.String(),
  model: Type.String(),
  content: Type.String(),
  reasoning_content: Type.Optional(Reasoning),
  finish_reason: Type.String(),
  usage: ChatUsage,
  cost_rub: Type.Number(),
  cost_coins: Type.Number(),
})
export type ChatResponse = Static<typeof ChatResponse>

/** One event of a streamed answer; the last one carries `finish_reason`, `usage` and the cost. */
export const ChatChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        content: Type.Optional(Type.String()),
        reasoning_content: Type.Optional(Reasoning),
        refusal: Type.Optional(
          Type.String({ description: 'Repeats `content` if the model refused to answer.' }),
        ),
      }),
      finish_reason: nullable(Type.String()),
    }),
  ),
  usage: Type.Optional(ChatUsage),
  cost_rub: Type.Optional(Type.Number()),
  cost_coins: Type.Optional(Type.Number()),
})
export type ChatChunk = Static<typeof ChatChunk>

export const ChatStreamError = Type.Object({ error: Type.Object({ message: Type.String() }) })
export type ChatStreamError = Static<typeof ChatStreamError>

export const STREAM_DONE = '[DONE]'

const ChatModel = Type.Object({
  id: Type.String(),
  family: Type.String(),
  context_tokens: Type.Integer({ minimum: 1 }),
  prompt_rub_per_1m: Type.Number(),
  cached_prompt_rub_per_1m: Type.Optional(
    Type.Number({ description: 'Price of cached input; without it that of all input.' }),
  ),
  completion_rub_per_1m: Type.Number(),
  thinking_tokens: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Tokens held for thoughts; without it none.' }),
  ),
})

export const ChatModels = Type.Object({ models: Type.Array(ChatModel) })
export type ChatModels = Static<typeof ChatModels>

/** The code of a 503 that lasts until the service's operator corrects the model's configuration. */
export const MODEL_MISCONFIGURED = 'model_misconfigured'
/** The code of a 502 for messages that are longer than the model can read. */
export const CONTEXT_LENGTH_EXCEEDED = 'context_length_exceeded'
export type RefusalCode = typeof MODEL_MISCONFIGURED | typeof CONTEXT_LENGTH_EXCEEDED

/** Body of every refusal that is not about single fields. The interface document has `detail` alone. */
export const ErrorBody = Type.Object({
  detail: Type.String(),
  code: Type.Optional(Type.Enum([MODEL_MISCONFIGURED, CONTEXT_LENGTH_EXCEEDED])),
})
export type ErrorBody = Static<typeof ErrorBody>

/** One refused field: where it is, outermost name first, and what it should be. */
export const FieldProblem = Type.Object({
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  msg: Type.String(),
})
export type FieldProblem = Static<typeof FieldProblem>

const PROBLEMS_MAX = 100

/** Returns the words of field problems, as this interface and FastAPI write them; the rest may quote the request. */
export function describeProblems(problems: unknown): string | undefined {
  if (!Array.isArray(problems)) return undefined
  return problems.slice(0, PROBLEMS_MAX).flatMap(describeProblem).join('; ') || undefined
}

function describeProblem(problem: unknown): string[] {
  if (typeof problem === 'string') return [problem]
  const { loc, msg } = toJsonObject(problem)
  if (typeof msg !== 'string') return []
  const names = Array.isArray(loc) ? loc : []
  const path = names.filter((name) => ['string', 'number'].includes(typeof name)).join('.')
  return [path === '' ? msg : `${path}: ${msg}`]
}

/** Body of a 422 on a creation endpoint (interface document, Errors, Video endpoint). */
export const FieldErrorBody = Type.Object({ detail: Type.Array(FieldProblem) })
export type FieldErrorBody = Static<typeof FieldErrorBody>
