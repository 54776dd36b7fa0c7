/** A request as far as it is read here. */
export interface ChatBody {
  model: string
  messages: Message[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  tools?: { type: string; function: Definition }[]
  tool_choice?: string | { type: string; function: { name: string } }
  parallel_tool_calls?: boolean
  response_format?: { type: string; json_schema?: Definition }
}

interface Message {
  role: string
  content?: unknown
  name?: string
  tool_call_id?: string
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
}

interface Definition {
  name: string
  description?: string
  parameters?: Schema
  schema?: Schema
  strict?: boolean
}

interface Schema {
  type?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
}

export interface Fault {
  message: string
  param: string | null
}

const FIELDS = new Set([
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
  ],
  ...[
    'response_format',
    'max_tokens',
    'max_completion_tokens',
    'temperature',
    'top_p',
    'stop',
    'seed',
  ],
  ...[
    'presence_penalty',
    'frequency_penalty',
    'logprobs',
    'top_logprobs',
    'reasoning_effort',
    'verbosity',
    'n',
  ],
])
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'refusal', 'tool_calls', 'reasoning_content'],
  tool: ['role', 'content', 'tool_call_id'],
}
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Finds the first thing in a request that OpenAI refuses, in about its words. */
export function findFault(body: ChatBody): Fault | undefined {
  const unknown = findUnknown(body, FIELDS)
  if (unknown !== undefined) return fault(`Unknown parameter: '${unknown}'.`, unknown)
  return findFieldFault(body) ?? findDefinitionFault(body) ?? findMessageFault(body)
}

function findFieldFault({ messages, stream, stream_options, tools, ...body }: ChatBody) {
  if (!Array.isArray(messages) || messages.length === 0) {
    return fault("Invalid 'messages': empty array.", 'messages')
  }
  if (stream_options !== undefined && stream !== true) {
    return fault(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    )
  }
  if (tools === undefined) {
    for (const name of ['tool_choice', 'parallel_tool_calls'] as const) {
      if (body[name] !== undefined)
        return fault(`'${name}' is only allowed when 'tools' are specified.`, name)
    }
  } else if (tools.length === 0) return fault("Invalid 'tools': empty array.", 'tools')
  return undefined
}

function findDefinitionFault({ tools = [], tool_choice: choice, response_format: form }: ChatBody) {
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`
    const unknown =
      findUnknown(tool, new Set(['type', 'function'])) ??
      findUnknown(tool.function, new Set(['name', 'description', 'parameters', 'strict']))
    if (unknown !== undefined) return fault(`Unknown parameter: '${at}.${unknown}'.`, at)
    const { name, parameters, strict } = tool.function
    if (!NAME.test(name)) return fault(`Invalid '${at}.function.name': ${name}`, at)
    if (strict === true && !isStrict(parameters)) {
      return fault(`Invalid schema for function '${name}': not strict`, at)
    }
  }
  if (
    typeof choice === 'object' &&
    tools.every((tool) => tool.function.name !== choice.function.name)
  ) {
    return fault('Tool choice is none of the tools.', 'tool_choice')
  }
  const answer = form?.json_schema
  if (form?.type === 'json_schema' && !NAME.test(answer?.name ?? '')) {
    return fault("Invalid 'response_format.json_schema.name'.", 'response_format')
  }
  if (answer?.strict === true && !isStrict(answer.schema)) {
    return fault(
      `Invalid schema for response_format '${answer.name}': not strict`,
      'response_format',
    )
  }
  return undefined
}

function findMessageFault({ messages }: ChatBody) {
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    const { role, content, tool_calls, tool_call_id = '' } = message
    const known = MESSAGE_FIELDS[role]
    if (known === undefined) return fault(`Invalid value: '${role}'.`, `${at}.role`)
    const unknown = findUnknown(message, new Set(known))
    if (unknown !== undefined) return fault(`Unknown parameter: '${at}.${unknown}'.`, at)
    if (role === 'tool') {
      if (!open.delete(tool_call_id))
        return fault(`${at}: 'tool' must follow the call it answers.`, at)
    } else if (open.size > 0) {
      return fault(`These tool_call_ids have no result before ${at}: ${[...open]}`, at)
    }
    const isCalling = tool_calls !== undefined && tool_calls.length > 0
    if (tool_calls !== undefined && !isCalling)
      return fault(`Invalid '${at}.tool_calls': empty array.`, at)
    if (
      typeof content !== 'string' &&
      !Array.isArray(content) &&
      !(content === null && isCalling)
    ) {
      return fault(`Invalid value for 'content' of ${at}: expected a string, got null.`, at)
    }
    open = isCalling ? new Set(tool_calls.map(({ id }) => id)) : open
  }
  return open.size > 0 ? fault(`No tool output found for ${[...open]}`, 'messages') : undefined
}

function isStrict(schema: Schema | undefined): boolean {
  if (schema === undefined) return false
  const { type, properties = {}, required = [], additionalProperties, items, anyOf = [] } = schema
  const isWhole =
    type !== 'object' ||
    (additionalProperties === false &&
      Object.keys(properties).every((name) => required.includes(name)))
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])]
  return isWhole && inner.every(isStrict)
}

function findUnknown(value: object, known: ReadonlySet<string>): string | undefined {
  return Object.keys(value).find((name) => !known.has(name))
}

function fault(message: string, param: string): Fault {
  return { message, param }
}
