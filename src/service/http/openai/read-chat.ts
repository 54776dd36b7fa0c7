import type { ValidateFunction } from 'ajv'
import {
  OPENAI_PARAMETERS,
  type OpenAiChatRequest,
  type OpenAiParameters,
  type PromptMessage,
} from '../../../contract/openai.ts'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import type { Refusal } from '../refusals.ts'
import { findToolProblem } from './check-tools.ts'
import type { OpenAiChat } from './openai-chat.ts'
import { refuseField, refuseFirst } from './refuse-field.ts'

const PART_SEPARATOR = '\n'

/**
 * Reads the body of `POST /chat/completions`. Nothing that would change the answer is passed over: what
 * cannot be done, and what is not known, is refused by its name. What stands beside the text of a message, and
 * is not known, is left out: answers of other services come back with fields of theirs.
 *
 * @param validate Of the schema of `OpenAiChatRequest`.
 * @returns The refusal of the first field that is wrong, if there is one.
 */
export function readOpenAiChat(body: unknown, validate: ValidateFunction): OpenAiChat | Refusal {
  const request = isJsonObject(body) ? leaveOutNulls(body) : body
  if (!validate(request)) {
    return refuseFirst(validate.errors ?? [])
  }
  return toChat(request as OpenAiChatRequest)
}

/** `null` is as omitted, in what is not known, too. */
function leaveOutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

function toChat(request: OpenAiChatRequest): OpenAiChat | Refusal {
  const { model, messages, max_tokens, max_completion_tokens, stream, stream_options } = request
  if (isOther(max_tokens, max_completion_tokens)) {
    const msg = 'cannot stand beside another max_completion_tokens'
    return refuseField(['max_tokens'], { msg, code: 'invalid_value' })
  }
  const problem = findToolProblem(request)
  if (problem !== undefined) return refuseField(problem.path, { ...problem, code: 'invalid_value' })
  return {
    model,
    messages: messages.map(toPromptMessage),
    max_tokens: max_completion_tokens ?? max_tokens ?? null,
    limitField: isGiven(max_completion_tokens) ? 'max_completion_tokens' : 'max_tokens',
    parameters: pickGiven(request),
    isStreamed: stream === true,
    includeUsage: stream_options?.include_usage === true,
  }
}

function toPromptMessage(message: OpenAiChatRequest['messages'][number]): PromptMessage {
  const { content: given } = message
  // What was no answer is sent back as none.
  const content = Array.isArray(given)
    ? given.map(({ text }) => text).join(PART_SEPARATOR)
    : (given ?? '')
  if (message.role === 'tool') {
    return { role: 'tool', content, tool_call_id: message.tool_call_id }
  }
  const name = isGiven(message.name) ? { name: message.name } : {}
  if (message.role === 'assistant') {
    const { role, tool_calls, reasoning_content } = message
    if (!isGiven(tool_calls) || tool_calls.length === 0) return { role, content, ...name }
    const thought = isGiven(reasoning_content) ? { reasoning_content } : {}
    return { role, content: content === '' ? null : content, tool_calls, ...thought, ...name }
  }
  // Providers of other houses know no other word for it.
  const role = message.role === 'developer' ? 'system' : message.role
  return { role, content, ...name }
}

/** What asks for nothing is left out: there are providers that would refuse it. */
function pickGiven(request: OpenAiParameters): OpenAiParameters {
  const hasTools = isGiven(request.tools) && request.tools.length > 0
  const given = OPENAI_PARAMETERS.filter(
    (name) =>
      isGiven(request[name]) &&
      !isNothing(name, request[name]) &&
      (hasTools || !OF_TOOLS.has(name)),
  )
  return Object.fromEntries(given.map((name) => [name, request[name]]))
}

const OF_TOOLS: ReadonlySet<string> = new Set<keyof OpenAiParameters>([
  'tool_choice',
  'parallel_tool_calls',
])

function isNothing(name: keyof OpenAiParameters, value: unknown): boolean {
  if (name === 'response_format') return isJsonObject(value) && value.type === 'text'
  if (name === 'logprobs' || name === 'top_logprobs') return value === false || value === 0
  return value === '' || (Array.isArray(value) && value.length === 0)
}

/** Some clients say one limit by both of its names. */
function isOther(limit: number | null | undefined, same: number | null | undefined): boolean {
  return isGiven(limit) && isGiven(same) && limit !== same
}

function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}
