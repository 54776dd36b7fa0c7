import { ChatOpenAI } from '@langchain/openai'
import { createAgent, providerStrategy, tool } from 'langchain'
import { expect, test } from 'vitest'
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

/** Paths that LangChain's model takes. */
const PATHS = [
  { path: '/chat/completions', useResponsesApi: false },
  { path: '/responses', useResponsesApi: true },
]

function toModel(
  { kopeck, baseURL }: Conversation,
  { useResponsesApi }: { useResponsesApi: boolean },
) {
  return new ChatOpenAI({
    model: 'alpha',
    apiKey: kopeck.apiKey,
    maxRetries: 0,
    useResponsesApi,
    configuration: { baseURL },
  })
}

function toAgent(conversation: Conversation, way: { useResponsesApi: boolean }) {
  const { tools } = conversation
  const city = z.object({ city: z.string() })
  const numbers = z.object({ numbers: z.array(z.number()) })
  return createAgent({
    model: toModel(conversation, way),
    tools: [
      tool((given: { city: string }) => tools.weather(given), { ...toName(WEATHER), schema: city }),
      tool((given: { numbers: number[] }) => tools.sum(given), { ...toName(SUM), schema: numbers }),
    ],
    systemPrompt: 'Be brief.',
  })
}

function toName({ name, description }: typeof WEATHER | typeof SUM) {
  return { name, description }
}

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(PATHS)(
  'LangChain, $path: an agent with two tools ends its work, paid as billed',
  async (way) => {
    const conversation = await startConversation()
    const agent = toAgent(conversation, way)

    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: QUESTION }] })

    await conversation.expectTold(messages.at(-1)?.text)
  },
)

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(PATHS)('LangChain, $path: an agent that streams does, too', async (way) => {
  const conversation = await startConversation()
  const agent = toAgent(conversation, way)
  let text = ''

  const asked = { messages: [{ role: 'user' as const, content: QUESTION }] }
  for await (const [chunk, { langgraph_step }] of await agent.stream(asked, {
    streamMode: 'messages',
  })) {
    if (chunk.type === 'ai' && Number(langgraph_step) >= 5) text += chunk.text
  }

  await conversation.expectTold(text)
})

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(PATHS)('LangChain, $path: an answer in the form of a schema', async (way) => {
  const conversation = await startConversation([{ text: TOWN_ANSWER }])
  const responseFormat = providerStrategy(z.object({ town: z.string(), degrees: z.number() }))
  const agent = createAgent({ model: toModel(conversation, way), tools: [], responseFormat })

  const { structuredResponse } = await agent.invoke({
    messages: [{ role: 'user', content: QUESTION }],
  })

  expect(structuredResponse).toEqual(TOWN)
  await conversation.expectPaid({ requests: 1 })
})
