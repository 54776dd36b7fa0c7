import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import OpenAIBefore from 'openai-before'
import * as zodBefore from 'openai-before/helpers/zod'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  QUESTION,
  SUM,
  startConversation,
  TOWN,
  TOWN_ANSWER,
  WEATHER,
} from './tool-conversation.ts'

type Conversation = Awaited<ReturnType<typeof startConversation>>
type Messages = OpenAI.ChatCompletionMessageParam[]

const MODEL = 'alpha'
const TOOLS = [WEATHER, SUM].map((tool) => ({ type: 'function' as const, function: tool }))
const Town = z.object({ town: z.string(), degrees: z.number() })
const PLAIN = { ...zodBefore, zodResponseFormat }

const WAYS = {
  'chat.completions.create()': (client, conversation) =>
    talk(conversation, async (messages) => {
      const asked = { model: MODEL, messages, tools: TOOLS, parallel_tool_calls: true }
      return (await client.chat.completions.create(asked)).choices[0]?.message
    }),
  'chat.completions.create() with a stream': (client, conversation) =>
    talk(conversation, async (messages) => {
      const stream = await client.chat.completions.create({
        ...{ model: MODEL, messages, tools: TOOLS, stream: true },
        stream_options: { include_usage: true },
      })
      return await gather(stream)
    }),
  'chat.completions.stream()': (client, conversation) =>
    talk(conversation, async (messages) => {
      const stream = client.chat.completions.stream({ model: MODEL, messages, tools: TOOLS })
      return (await stream.finalChatCompletion()).choices[0]?.message
    }),
  'chat.completions.runTools()': (client, { tools }) =>
    client.chat.completions.runTools({ ...toRunnable(tools), stream: false }).finalContent(),
  'chat.completions.runTools() with a stream': (client, { tools }) =>
    client.chat.completions.runTools({ ...toRunnable(tools), stream: true }).finalContent(),
} satisfies Record<
  string,
  (client: OpenAI, conversation: Conversation) => Promise<string | null | undefined>
>

// What is used of both is typed alike, but each has classes of its own.
const MAJORS = [
  { major: 'openai 7', Client: OpenAI, zod: PLAIN },
  {
    major: 'openai 6',
    Client: OpenAIBefore as unknown as typeof OpenAI,
    zod: zodBefore as unknown as typeof PLAIN,
  },
]

describe.each(MAJORS)('$major', ({ Client, zod }) => {
  const connect = ({ kopeck, baseURL }: Conversation) =>
    new Client({ baseURL, apiKey: kopeck.apiKey, maxRetries: 0 })

  // Promise: A client made for OpenAI gives a model tools, or a schema for its answer
  test.each(Object.entries(WAYS))(
    '%s: a conversation with tools, paid as billed',
    async (_, run) => {
      const conversation = await startConversation()

      const answer = await run(connect(conversation), conversation)

      await conversation.expectTold(answer)
    },
  )

  // Promise: A client made for OpenAI gives a model tools, or a schema for its answer
  test('parse(): an answer in the form of a schema', async () => {
    const conversation = await startConversation([{ text: TOWN_ANSWER }])
    const client = connect(conversation)

    const chat = await client.chat.completions.parse({
      model: MODEL,
      messages: [{ role: 'user', content: QUESTION }],
      response_format: zod.zodResponseFormat(Town, 'town'),
    })
    expect(chat.choices[0]?.message.parsed).toEqual(TOWN)
    await conversation.expectPaid({ requests: 1 })
  })
})

async function talk(
  { call }: Conversation,
  ask: (messages: Messages) => Promise<OpenAI.ChatCompletionMessage | undefined>,
): Promise<string | null | undefined> {
  const messages: Messages = [{ role: 'user', content: QUESTION }]
  for (;;) {
    const message = await ask(messages)
    if (message === undefined || !message.tool_calls?.length) return message?.content
    messages.push(message)
    for (const { id, ...rest } of message.tool_calls) {
      if (!('function' in rest)) continue
      const content = call(rest.function.name, rest.function.arguments)
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
  }
}

function toRunnable(tools: Conversation['tools']) {
  return {
    model: MODEL,
    messages: [{ role: 'user' as const, content: QUESTION }],
    tools: [
      {
        ...TOOLS[0],
        type: 'function' as const,
        function: { ...WEATHER, function: tools.weather, parse: JSON.parse },
      },
      {
        ...TOOLS[1],
        type: 'function' as const,
        function: { ...SUM, function: tools.sum, parse: JSON.parse },
      },
    ],
  }
}

async function gather(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<OpenAI.ChatCompletionMessage> {
  const calls: OpenAI.ChatCompletionMessageFunctionToolCall[] = []
  let content = ''
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta
    content += delta?.content ?? ''
    for (const { index, id = '', function: piece } of delta?.tool_calls ?? []) {
      calls[index] ??= {
        id,
        type: 'function',
        function: { name: piece?.name ?? '', arguments: '' },
      }
      calls[index].function.arguments += piece?.arguments ?? ''
    }
  }
  const tool_calls = calls.length > 0 ? { tool_calls: calls } : {}
  return { role: 'assistant', content: content || null, refusal: null, ...tool_calls }
}
