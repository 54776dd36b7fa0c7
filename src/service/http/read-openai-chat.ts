import type { ErrorObject, ValidateFunction } from 'ajv'
import {
  OPENAI_PARAMETERS,
  OPENAI_UNSUPPORTED,
  type OpenAiChatRequest,
  type OpenAiParameters,
} from '../../contract/openai/chat-request.ts'
import type { PromptMessage } from '../../contract/prompt-message.ts'
import { toPath } from '../../platform/guard.ts'
import { isJsonObject, type JsonObject } from '../../platform/http/json.ts'
import { toFieldProblems } from '../field-problems.ts'
import { findToolProblem } from './check-tools.ts'
import { Refusal } from './refusals.ts'

/** A chat request in OpenAI's shape, as it is run. */
export interface OpenAiChat {
  model: string
  messages: PromptMessage[]
  max_tokens: number | null
  /** The client's name of that field. */
  limitName: 'max_tokens' | 'max_completion_tokens'
  parameters: OpenAiParameters
  isStreamed: boolean
  /** True if a stream ends with its usage. */
  includeUsage: boolean
}

/** Between two parts of one message. */
const PART_SEPARATOR = '\n'

/** OpenAI's codes for the problems that a keyword of JSON Schema finds. */
const CODES: Readonly<Record<string, string>> = {
  required: 'missing_required_parameter',
  type: 'invalid_type',
  discriminator: 'unsupported_value',
}
const UNKNOWN = { msg: 'is not known here: leave it out', code: 'unknown_parameter' }
const UNSUPPORTED = { msg: 'is not supported: leave it out', code: 'unsupported_parameter' }
/** Each field may be null instead, so that a mismatch with null says nothing. */
const ALTERNATIVE_NULL = /\/anyOf\/1\/type$/

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
  if (!validate(request)) return refuse(validate.errors ?? [])
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
    limitName: isGiven(max_completion_tokens) ? 'max_completion_tokens' : 'max_tokens',
    parameters: pickParameters(request),
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
function pickParameters(request: OpenAiChatRequest): OpenAiParameters {
  const hasTools = isGiven(request.tools) && request.tools.length > 0
  const given = OPENAI_PARAMETERS.filter(
    (name) =>
      isGiven(request[name]) &&
      !isNothing(name, request[name]) &&
      (hasTools || !OF_TOOLS.has(name)),
  )
  return Object.fromEntries(given.map((name) => [name, request[name]]))
}

/** Without tools they say nothing. */
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

/** Names the deepest problem: of several shapes that a field may have it belongs to the one that was meant. */
function refuse(errors: readonly ErrorObject[]): Refusal {
  const [error] = errors
    .filter((each) => each.keyword !== 'anyOf' && !ALTERNATIVE_NULL.test(each.schemaPath))
    .sort((one, other) => toPath(other).length - toPath(one).length)
  if (error === undefined) return new Refusal(422, 'The request cannot be read.')
  const path = toPath(error)
  const name = String(path[0])
  if (OPENAI_UNSUPPORTED.includes(name)) return refuseField([name], UNSUPPORTED)
  if (mayOnlyBeNothing(error)) return refuseField(path, UNSUPPORTED)
  if (error.keyword === 'additionalProperties') {
    return refuseField(path, UNKNOWN)
  }
  const code = CODES[error.keyword] ?? 'invalid_value'
  return refuseField(path, { msg: describe(error), code })
}

/** Only an empty list, or null, is let in where something else would be a wish that is not fulfilled. */
function mayOnlyBeNothing({ keyword, params }: ErrorObject): boolean {
  return (keyword === 'maxItems' && params.limit === 0) || params.type === 'null'
}

function describe(error: ErrorObject): string {
  if (error.keyword !== 'discriminator') return toFieldProblems([error], 'body')[0]?.msg ?? ''
  const known: string[] = error.parentSchema?.oneOf.flatMap(
    ({ properties }: { properties: Record<string, { const?: string; enum?: string[] }> }) => {
      const tag = properties[error.params.tag]
      return tag?.enum ?? tag?.const ?? []
    },
  )
  return `must be ${known.map((value) => JSON.stringify(value)).join(' or ')}: nothing else is supported`
}

function refuseField(
  path: readonly (string | number)[],
  { msg, code }: { msg: string; code: string },
): Refusal {
  return new Refusal(422, [{ loc: ['body', ...path], msg }], { openAiCode: code })
}
