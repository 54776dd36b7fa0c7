import type { ValidateFunction } from 'ajv'
import type { OpenAiParameters } from '../../../contract/openai/chat-request.ts'
import type { AskedResponse } from '../../../contract/openai/response-answer.ts'
import {
  type OpenAiResponseRequest,
  RESPONSES_UNSUPPORTED,
} from '../../../contract/openai/response-request.ts'
import type { ToolCall } from '../../../contract/openai/tools.ts'
import type { PromptMessage } from '../../../contract/prompt-message.ts'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import type { Refusal } from '../refusals.ts'
import { findToolProblem, type ToolProblem } from './check-tools.ts'
import type { OpenAiChat } from './openai-chat.ts'
import { leaveOutNulls, PART_SEPARATOR, pickGiven } from './read-chat.ts'
import { refuseField, refuseFirst } from './refuse-field.ts'

/** A request in the newer shape, as it is run, and what its answer repeats of it. */
export interface OpenAiResponseChat extends OpenAiChat {
  asked: AskedResponse
}

type InputItem = Exclude<OpenAiResponseRequest['input'], string>[number]
type Content = Extract<InputItem, { type: 'message' }>['content']

/** Where the newer shape has what the older one calls so. */
const NAMES = {
  messages: ['input'],
  max_tokens: ['max_output_tokens'],
  response_format: ['text', 'format'],
}

/**
 * Reads the body of `POST /responses` as the chat that it asks for, by the same rules as the older shape: what would
 * change the answer, and cannot be done, is refused by name. What an answer had comes back as items of its own.
 *
 * @param validate Of the schema of `OpenAiResponseRequest`.
 * @returns The refusal of the first field that is wrong, if there is one.
 */
export function readOpenAiResponse(
  body: unknown,
  validate: ValidateFunction,
): OpenAiResponseChat | Refusal {
  const request = isJsonObject(body) ? nameMessages(leaveOutNulls(body)) : body
  const reference = findReference(request)
  if (reference >= 0) return refuseField(['input', reference, 'type'], REFERENCE)
  if (!validate(request)) {
    return refuseFirst(validate.errors ?? [], { unsupported: RESPONSES_UNSUPPORTED })
  }
  return toChat(request as OpenAiResponseRequest)
}

/** The AI SDK sends such for every text that it had from an answer, unless it is told that nothing is stored. */
const REFERENCE = {
  msg: 'leads nowhere: nothing is stored here. Set store to false, so that your client sends the item itself',
  code: 'unsupported_value',
}

/** @returns The first item that only names another one by its id; -1 if there is none. */
function findReference(request: unknown): number {
  if (!isJsonObject(request) || !Array.isArray(request.input)) return -1
  return request.input.findIndex(
    (item: unknown) => isJsonObject(item) && item.type === 'item_reference',
  )
}

/** The type of an item may be left out where it is a message. */
function nameMessages({ input, ...body }: JsonObject): JsonObject {
  if (input === undefined) return body
  if (!Array.isArray(input)) return { ...body, input }
  const items = input.map((item: unknown) =>
    isJsonObject(item) && item.type === undefined ? { ...item, type: 'message' } : item,
  )
  return { ...body, input: items }
}

function toChat(asked: OpenAiResponseRequest): OpenAiResponseChat | Refusal {
  const { model, max_output_tokens, stream } = asked
  const { messages, places } = toMessages(asked)
  if (messages.length === 0)
    return refuseField(['input'], {
      msg: 'must not be empty',
      code: 'invalid_value',
    })
  const tools = toTools(asked)
  const problem = findToolProblem({ messages, ...tools })
  if (problem !== undefined) {
    return refuseField(toPlace(problem, places), { ...problem, code: 'invalid_value' })
  }
  return {
    model,
    messages,
    max_tokens: max_output_tokens ?? null,
    names: NAMES,
    parameters: pickGiven({ ...toParameters(asked), ...tools }),
    isStreamed: stream === true,
    includeUsage: true,
    asked: toAsked(asked),
  }
}

function toAsked(request: OpenAiResponseRequest): AskedResponse {
  const { instructions, max_output_tokens, metadata, temperature, top_p } = request
  const { text, tool_choice, tools, parallel_tool_calls } = request
  return {
    instructions: instructions ?? null,
    max_output_tokens: max_output_tokens ?? null,
    metadata: metadata ?? {},
    parallel_tool_calls: parallel_tool_calls ?? true,
    temperature: temperature ?? null,
    text: { format: { type: 'text' }, ...text },
    tool_choice: tool_choice ?? 'auto',
    tools: tools ?? [],
    top_p: top_p ?? null,
  }
}

/** The messages, and for each the places of its item and of its calls in the input. */
function toMessages({ input, instructions }: OpenAiResponseRequest) {
  const messages: PromptMessage[] = []
  const places: { at: number; calls: number[] }[] = []
  const add = (message: PromptMessage, at: number) => {
    messages.push(message)
    places.push({ at, calls: [] })
  }
  if (instructions) add({ role: 'system', content: instructions }, 0)
  if (typeof input === 'string') {
    if (input !== '') add({ role: 'user', content: input }, 0)
    return { messages, places }
  }
  let thought = ''
  for (const [at, item] of input.entries()) {
    if (item.type === 'message') {
      const role = item.role === 'developer' ? 'system' : item.role
      add({ role, content: toText(item.content) }, at)
    } else if (item.type === 'function_call_output') {
      add({ role: 'tool', content: toText(item.output), tool_call_id: item.call_id }, at)
    } else if (item.type === 'reasoning') {
      thought = toText(item.content ?? [])
    } else {
      addCall(item, at)
      thought = ''
    }
  }
  return { messages, places }

  /** Calls in a row are of one answer, with the text that stands before them. */
  function addCall({ call_id, name, arguments: given }: FunctionCall, at: number): void {
    const call: ToolCall = { id: call_id, type: 'function', function: { name, arguments: given } }
    const last = messages.at(-1)
    if (last?.role === 'assistant' && 'tool_calls' in last) last.tool_calls.push(call)
    else {
      const text = last?.role === 'assistant' ? last.content : null
      const answer: PromptMessage = {
        role: 'assistant',
        content: text || null,
        tool_calls: [call],
        ...(thought !== '' && { reasoning_content: thought }),
      }
      if (last?.role === 'assistant') messages[messages.length - 1] = answer
      else add(answer, at)
    }
    places.at(-1)?.calls.push(at)
  }
}

type FunctionCall = Extract<InputItem, { type: 'function_call' }>

function toText(content: Content): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'refusal' ? part.refusal : part.text))
    .join(PART_SEPARATOR)
}

/** `null` is as omitted. */
function toTools({
  tools,
  tool_choice: choice = null,
}: OpenAiResponseRequest): Pick<OpenAiParameters, 'tools' | 'tool_choice'> {
  const isOne = typeof choice === 'object' && choice !== null
  return {
    tools: tools?.map(({ type, ...defined }) => ({ type, function: defined })) ?? null,
    tool_choice: isOne ? { type: 'function', function: { name: choice.name } } : choice,
  }
}

function toParameters({
  temperature = null,
  top_p = null,
  reasoning,
  text,
  parallel_tool_calls = null,
}: OpenAiResponseRequest): OpenAiParameters {
  return {
    temperature,
    top_p,
    parallel_tool_calls,
    reasoning_effort: reasoning?.effort ?? null,
    verbosity: text?.verbosity ?? null,
    response_format: toResponseFormat(text?.format),
  }
}

function toResponseFormat(format: NonNullable<OpenAiResponseRequest['text']>['format'] = null) {
  if (format?.type !== 'json_schema') return format
  const { type, ...json_schema } = format
  return { type, json_schema }
}

/** Where the newer shape has what a problem is about. */
function toPlace(
  { path }: ToolProblem,
  places: readonly { at: number; calls: readonly number[] }[],
): (string | number)[] {
  const [field, index, within, call] = path
  if (field !== 'messages') return path.filter((step) => step !== 'function')
  const place = places[Number(index)]
  const at = within === 'tool_calls' ? place?.calls[Number(call)] : place?.at
  return ['input', at ?? 0, 'call_id']
}
