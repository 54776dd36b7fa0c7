import type { ErrorObject, ValidateFunction } from 'ajv'
import {
  OPENAI_PARAMETERS,
  OPENAI_UNSUPPORTED,
  type OpenAiChatRequest,
  type OpenAiParameters,
  type PromptMessage,
} from '../../contract/openai.ts'
import { toPath } from '../../platform/guard.ts'
import { isJsonObject } from '../../platform/http/json.ts'
import { toFieldProblems } from '../field-problems.ts'
import { Refusal, refuseFields } from './refusals.ts'

const PART_SEPARATOR = '\n'

export interface OpenAiChat {
  model: string
  messages: PromptMessage[]
  max_tokens: number | null
  parameters: OpenAiParameters
  isStreamed: boolean
  includeUsage: boolean
  limitField: 'max_tokens' | 'max_completion_tokens'
}

/** Reads the body of `POST /chat/completions`. Fields that would change the answer and are unknown are refused by name. */
export function readOpenAiChat(body: unknown, validate: ValidateFunction): OpenAiChat {
  // `null` is as omitted, also in an unknown field.
  const given = isJsonObject(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : body
  if (!validate(given)) throw refuseFirst(validate.errors ?? [])
  const request = given as unknown as OpenAiChatRequest
  const { model, messages, max_tokens, max_completion_tokens, stream, stream_options } = request
  const isNewer = isGiven(max_completion_tokens)
  // Some clients send one limit under both of its names.
  if (isNewer && isGiven(max_tokens) && max_tokens !== max_completion_tokens) {
    throw refuseValue(['max_tokens'], 'cannot stand beside another max_completion_tokens')
  }
  return {
    model,
    messages: messages.map(toPromptMessage),
    max_tokens: max_completion_tokens ?? max_tokens ?? null,
    limitField: isNewer ? 'max_completion_tokens' : 'max_tokens',
    parameters: pickGiven(request),
    isStreamed: stream === true,
    includeUsage: stream_options?.include_usage === true,
  }
}

type Message = OpenAiChatRequest['messages'][number]

function toPromptMessage(message: Message): PromptMessage {
  const { content: given } = message
  // An empty answer is sent back as none.
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
  // Most providers have no other word for it.
  const role = message.role === 'developer' ? 'system' : message.role
  return { role, content, ...name }
}

const OF_TOOLS: ReadonlySet<string> = new Set(['tool_choice', 'parallel_tool_calls'])

/** Leaves out what asks for nothing: some providers would refuse it. */
function pickGiven(request: OpenAiParameters): OpenAiParameters {
  const hasTools = isGiven(request.tools) && request.tools.length > 0
  const names = OPENAI_PARAMETERS.filter(
    (name) => !isNothing(name, request[name]) && (hasTools || !OF_TOOLS.has(name)),
  )
  return Object.fromEntries(names.map((name) => [name, request[name]]))
}

function isNothing(name: keyof OpenAiParameters, value: unknown): boolean {
  if (!isGiven(value)) return true
  if (name === 'response_format') return isJsonObject(value) && value.type === 'text'
  return value === '' || (Array.isArray(value) && value.length === 0)
}

function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}

const CODES: Readonly<Record<string, string>> = {
  required: 'missing_required_parameter',
  type: 'invalid_type',
  discriminator: 'unsupported_value',
}
/** Each field may be null instead, so that a mismatch with null says nothing. */
const ALTERNATIVE_NULL = /\/anyOf\/1\/type$/

/** Refuses a request by its deepest problem, which belongs to the shape that was meant. */
function refuseFirst(errors: readonly ErrorObject[]): Refusal {
  const [error] = errors
    .filter((each) => each.keyword !== 'anyOf' && !ALTERNATIVE_NULL.test(each.schemaPath))
    .sort((one, other) => toPath(other).length - toPath(one).length)
  if (error === undefined) return new Refusal('unreadable', { status: 422, openAiStatus: 400 })
  const { keyword, params } = error
  const path = toPath(error)
  const [name] = path
  const isUnsupported = OPENAI_UNSUPPORTED.includes(String(name))
  // Only an empty list, or null, is let in if anything else would be a wish that is not fulfilled.
  if (isUnsupported || (keyword === 'maxItems' && params.limit === 0) || params.type === 'null') {
    const field = isUnsupported ? path.slice(0, 1) : path
    return refuseValue(field, 'is not supported: leave it out', 'unsupported_parameter')
  }
  if (keyword === 'additionalProperties') {
    return refuseValue(path, 'is not known here: leave it out', 'unknown_parameter')
  }
  return refuseValue(path, describe(error), CODES[keyword])
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

function refuseValue(
  path: readonly (string | number)[],
  msg: string,
  openAiCode = 'invalid_value',
): Refusal {
  return refuseFields([{ loc: ['body', ...path], msg }], openAiCode)
}
