import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'

/** A request as an upstream gets it, as far as it is counted. */
export interface BilledRequest {
  messages: readonly BilledMessage[]
  tools?: readonly { function: Definition }[]
  response_format?: { type: string; json_schema?: Definition }
}

interface BilledMessage {
  role: string
  content?: string | null
  name?: string
  reasoning_content?: string
  tool_calls?: readonly { function: { name: string; arguments: string } }[]
}

interface Definition {
  name: string
  description?: string
  parameters?: Schema
  schema?: Schema
}

interface Schema {
  type?: string | string[]
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

/** How a model's definitions stand in its prompt: OpenAI's way, or that of most templates of open models. */
export type Rendering = 'typescript' | 'json'

const encoding = new Tiktoken(o200k)

/** Special tokens of a message: where it starts, where its text begins, and its end. */
const MESSAGE_SPECIALS = 3
/** Channel, constraint and recipient of a call, and the role and recipient of its result, beside the name. */
const CALL_TOKENS = 8
const ANSWER_TOKENS = 3
/** What the templates of Qwen and Hermes say around the definitions, counted by the same tokenizer. */
const TEMPLATE_TOKENS = 87

/** Counts a text with the tokenizer of OpenAI's current models. */
export function countTokens(text: string): number {
  return encoding.encode(text, [], []).length
}

/**
 * Counts the prompt of a request as an honest upstream bills it. Messages and definitions stand in it as the
 * documentation of OpenAI's harmony format has them: functions as TypeScript, the schema of an answer as JSON.
 */
export function countPrompt(
  { messages, tools = [], response_format: form }: BilledRequest,
  rendering: Rendering = 'typescript',
): number {
  let tokens = ANSWER_TOKENS
  for (const message of messages) tokens += countMessage(message)
  const definitions = tools.map((tool) => tool.function)
  if (definitions.length > 0) {
    tokens +=
      rendering === 'typescript'
        ? countTokens(toNamespace(definitions))
        : TEMPLATE_TOKENS + countTokens(tools.map(toPythonJson).join('\n'))
  }
  const answer = form?.json_schema
  if (answer !== undefined) {
    const described = answer.description === undefined ? '' : `// ${answer.description}\n`
    const schema = JSON.stringify(answer.schema ?? {})
    tokens += countTokens(`\n\n# Response Formats\n\n## ${answer.name}\n\n${described}${schema}`)
  }
  return tokens
}

function countMessage({ role, content, name, reasoning_content, tool_calls = [] }: BilledMessage) {
  let tokens = MESSAGE_SPECIALS + countTokens(role) + countTokens(content ?? '')
  tokens += countTokens(name ?? '') + countTokens(reasoning_content ?? '')
  if (role === 'tool') tokens += CALL_TOKENS
  for (const { function: called } of tool_calls) {
    tokens += CALL_TOKENS + countTokens(called.name) + countTokens(called.arguments)
  }
  return tokens
}

function toNamespace(definitions: readonly Definition[]): string {
  const functions = definitions.map(({ name, description, parameters }) => {
    const hasFields = Object.keys(parameters?.properties ?? {}).length > 0
    const given = hasFields ? `_: ${toType(parameters ?? {}, '')}` : ''
    return `${toComment(description, '')}type ${name} = (${given}) => any;\n`
  })
  return `\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n${functions.join('\n')}\n} // namespace functions`
}

function toType(schema: Schema, indent: string): string {
  const { type, items, properties, required = [] } = schema
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  const others = schema.anyOf ?? schema.oneOf
  if (others !== undefined) return others.map((each) => toType(each, indent)).join(' | ')
  if (Array.isArray(type))
    return type.map((each) => toType({ ...schema, type: each }, indent)).join(' | ')
  if (type === 'array') return `${toType(items ?? {}, indent)}[]`
  if (type === 'integer') return 'number'
  if (type !== 'object') return type ?? 'any'
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    const preset = 'default' in field ? ` // default: ${JSON.stringify(field.default)}` : ''
    return `${toComment(field.description, indent)}${indent}${name}${mark}: ${toType(field, `${indent}    `)},${preset}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function toComment(text: string | undefined, indent: string): string {
  return text === undefined
    ? ''
    : text
        .split('\n')
        .map((line) => `${indent}// ${line}\n`)
        .join('')
}

/** Templates are run by Python, which writes spaces after commas and colons. */
function toPythonJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
}
