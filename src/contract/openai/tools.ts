import { type Static, Type } from 'typebox'
import { oneBy, optional } from './schema.ts'

const FunctionName = Type.String({
  pattern: '^[A-Za-z0-9_.:/-]{1,128}$',
  description: 'A name of 1 to 128 letters, digits and the signs _ . : / -',
})

const Tool = oneBy('type', [
  Type.Object({
    type: Type.Literal('function'),
    function: Type.Object({
      name: FunctionName,
      description: optional(Type.String()),
      parameters: optional(Type.Object({})),
      strict: optional(Type.Boolean()),
    }),
  }),
])

const ToolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  Type.Object({
    type: Type.Literal('function'),
    function: Type.Object({ name: FunctionName }),
  }),
])

const ResponseFormat = oneBy('type', [
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 128 }),
      description: optional(Type.String()),
      schema: optional(Type.Object({})),
      strict: optional(Type.Boolean()),
    }),
  }),
])

/** What an answer may call, and the form that it is to have. Not every upstream takes them: `featuresOf()`. */
export const TOOL_PARAMETERS = {
  tools: optional(Type.Array(Tool)),
  tool_choice: optional(ToolChoice),
  parallel_tool_calls: optional(Type.Boolean()),
  response_format: optional(ResponseFormat),
}

/** A call of a tool as an answer had it. Its arguments are a text, JSON or not, and go on as they are. */
export const ToolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.Literal('function'),
  function: Type.Object({ name: FunctionName, arguments: Type.String() }),
})
export type ToolCall = Static<typeof ToolCall>
