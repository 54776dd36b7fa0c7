import { type Static, Type } from 'typebox'

const Usage = Type.Object({
  input_tokens: Type.Integer({ minimum: 0 }),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer({ minimum: 0 }) }),
  output_tokens: Type.Integer({ minimum: 0 }),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer({ minimum: 0 }) }),
  total_tokens: Type.Integer({ minimum: 0 }),
})

const ItemStatus = Type.Enum(['in_progress', 'completed', 'incomplete'])

const MessagePart = Type.Union([
  Type.Object({
    type: Type.Literal('output_text'),
    text: Type.String(),
    annotations: Type.Array(Type.Unknown()),
    logprobs: Type.Array(Type.Unknown()),
  }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
])

const OutputItem = Type.Union([
  Type.Object({
    id: Type.String(),
    type: Type.Literal('message'),
    status: ItemStatus,
    role: Type.Literal('assistant'),
    content: Type.Array(MessagePart),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('function_call'),
    status: ItemStatus,
    call_id: Type.String(),
    name: Type.String(),
    arguments: Type.String(),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('reasoning'),
    summary: Type.Array(Type.Unknown()),
    content: Type.Array(Type.Object({ type: Type.Literal('reasoning_text'), text: Type.String() })),
  }),
])
export type OutputItem = Static<typeof OutputItem>

/** As the client wrote it. */
const ANYTHING = Type.Object({}, { additionalProperties: true })

/** What an answer repeats of its request. */
const Asked = {
  instructions: Type.Union([Type.String(), Type.Null()]),
  max_output_tokens: Type.Union([Type.Integer(), Type.Null()]),
  metadata: ANYTHING,
  parallel_tool_calls: Type.Boolean(),
  temperature: Type.Union([Type.Number(), Type.Null()]),
  text: ANYTHING,
  tool_choice: Type.Unknown(),
  tools: Type.Array(ANYTHING),
  top_p: Type.Union([Type.Number(), Type.Null()]),
}
export type AskedResponse = Static<Type.TObject<typeof Asked>>

/** Plain answer of `POST /responses`. `cost_rub` is not OpenAI's: what the answer cost. */
export const OpenAiResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    created_at: Type.Integer({ description: 'Unix seconds.' }),
    status: Type.Enum(['in_progress', 'completed', 'incomplete']),
    error: Type.Null(),
    incomplete_details: Type.Union([
      Type.Object({ reason: Type.Enum(['max_output_tokens', 'content_filter']) }),
      Type.Null(),
    ]),
    model: Type.String(),
    output: Type.Array(OutputItem),
    previous_response_id: Type.Null(),
    store: Type.Literal(false),
    ...Asked,
    usage: Type.Union([Usage, Type.Null()]),
    cost_rub: Type.Optional(Type.Number()),
  },
  {
    examples: [
      {
        id: 'resp_0b6f0f6e-3c0f-4f0e-9d53-6f1f2f0d7a11',
        object: 'response',
        created_at: 1_763_800_000,
        status: 'completed',
        error: null,
        incomplete_details: null,
        model: 'alpha-large',
        output: [
          {
            id: 'msg_4c1f1d0a-7d8c-4b0e-b4b7-2f8a3a1c9e55',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [
              {
                type: 'output_text',
                text: 'A hundredth of a rouble.',
                annotations: [],
                logprobs: [],
              },
            ],
          },
        ],
        previous_response_id: null,
        store: false,
        instructions: 'Answer in one sentence.',
        max_output_tokens: 200,
        metadata: {},
        parallel_tool_calls: true,
        temperature: null,
        text: { format: { type: 'text' } },
        tool_choice: 'auto',
        tools: [],
        top_p: null,
        usage: {
          input_tokens: 24,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 7,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 31,
        },
        cost_rub: 0.0078,
      },
    ],
  },
)
export type OpenAiResponse = Static<typeof OpenAiResponse>

/** One event of a streamed response: its type says what else it has. */
export const OpenAiResponseEvent = Type.Object({
  type: Type.String(),
  sequence_number: Type.Integer({ minimum: 0 }),
})
