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

function toModel({ kopeck, baseURL }: Conversation) {
  return new ChatOpenAI({
    model: 'alpha',
    apiKey: kopeck.apiKey,
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL },
  })
}

function toAgent(conversation: Conversation) {
  const { tools } = conversation
  const city = z.object({ city: z.string() })
  const numbers = z.object({ numbers: z.array(z.number()) })
  return createAgent({
    model: toModel(conversation),
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
test('LangChain: an agent with two tools ends its work, paid as billed', async () => {
  const conversation = await startConversation()
  const agent = toAgent(conversation)

  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: QUESTION }] })

  await conversation.expectTold(messages.at(-1)?.text)
})

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test('LangChain: an agent that streams ends its work, paid as billed', async () => {
  const conversation = await startConversation()
  const agent = toAgent(conversation)
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
test('LangChain: an answer in the form of a schema', async () => {
  const conversation = await startConversation([{ text: TOWN_ANSWER }])
  const responseFormat = providerStrategy(z.object({ town: z.string(), degrees: z.number() }))
  const agent = createAgent({ model: toModel(conversation), tools: [], responseFormat })

  const { structuredResponse } = await agent.invoke({
    messages: [{ role: 'user', content: QUESTION }],
  })

  expect(structuredResponse).toEqual(TOWN)
  await conversation.expectPaid({ requests: 1 })
})
