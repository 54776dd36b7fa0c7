import { type Static, Type } from 'typebox'
import { WITHOUT_EFFECT } from './chat-request.ts'
import { oneBy, optional } from './schema.ts'
import { FUNCTION_FORM, FunctionName, SCHEMA_FORM } from './tools.ts'

const STRICT = { additionalProperties: false }

const InputPart = oneBy('type', [
  Type.Object({
    type: Type.Enum(['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text']),
    text: Type.String(),
  }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
])
const Content = Type.Union([Type.String(), Type.Array(InputPart)])

/** A part of a conversation: a message, a call of a tool, its result, or thoughts. */
const InputItem = oneBy('type', [
  Type.Object({
    type: Type.Literal('message', { description: 'May be left out of a message.' }),
    role: Type.Enum(['system', 'developer', 'user', 'assistant']),
    content: Content,
  }),
  Type.Object({
    type: Type.Literal('function_call'),
    call_id: Type.String({ minLength: 1 }),
    name: FunctionName,
    arguments: Type.String(),
  }),
  Type.Object({
    type: Type.Literal('function_call_output'),
    call_id: Type.String({ minLength: 1 }),
    output: Content,
  }),
  Type.Object({
    type: Type.Literal('reasoning'),
    summary: optional(Type.Array(InputPart)),
    content: optional(Type.Array(InputPart)),
  }),
])

const ResponseTool = oneBy('type', [
  Type.Object({
    type: Type.Literal('function'),
    ...FUNCTION_FORM,
  }),
])

const ToolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  Type.Object({ type: Type.Literal('function'), name: FunctionName }),
])

const TextFormat = oneBy('type', [
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({ type: Type.Literal('json_schema'), ...SCHEMA_FORM }),
])

/** The same of this shape: nothing is ever stored. */
const ALSO_WITHOUT_EFFECT = {
  client_metadata: optional(Type.Object({})),
  stream_options: optional(Type.Object({})),
  /** Thoughts come in clear, so that none is encrypted for its way back. */
  include: optional(Type.Array(Type.Literal('reasoning.encrypted_content'))),
}

/** Wishes that cannot be fulfilled here: only the values that ask for nothing are taken. */
const UNSUPPORTED = {
  previous_response_id: Type.Optional(Type.Null()),
  conversation: Type.Optional(Type.Null()),
  prompt: Type.Optional(Type.Null()),
  background: optional(Type.Literal(false)),
  truncation: optional(Type.Literal('disabled')),
  max_tool_calls: Type.Optional(Type.Null()),
  top_logprobs: optional(Type.Literal(0)),
}
export const RESPONSES_UNSUPPORTED: readonly string[] = Object.keys(UNSUPPORTED)

/** Body of `POST /responses`, OpenAI's newer shape of a chat request. */
export const OpenAiResponseRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.Union([Type.String(), Type.Array(InputItem)]),
    instructions: optional(Type.String()),
    max_output_tokens: optional(Type.Integer({ minimum: 1 })),
    stream: optional(Type.Boolean()),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    reasoning: optional(
      Type.Object(
        {
          effort: optional(Type.String({ maxLength: 32 })),
          summary: optional(Type.String()),
          generate_summary: optional(Type.String()),
        },
        STRICT,
      ),
    ),
    text: optional(
      Type.Object(
        { format: optional(TextFormat), verbosity: optional(Type.String({ maxLength: 32 })) },
        STRICT,
      ),
    ),
    tools: optional(Type.Array(ResponseTool)),
    tool_choice: optional(ToolChoice),
    parallel_tool_calls: optional(Type.Boolean()),
    ...WITHOUT_EFFECT,
    ...ALSO_WITHOUT_EFFECT,
    ...UNSUPPORTED,
  },
  {
    ...STRICT,
    examples: [
      {
        model: 'alpha-large',
        instructions: 'Answer in one sentence.',
        input: 'What is a kopeck?',
        max_output_tokens: 200,
      },
    ],
  },
)
export type OpenAiResponseRequest = Static<typeof OpenAiResponseRequest>
