import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateObject, generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai'
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

const Town = z.object({ town: z.string(), degrees: z.number() })

const MODELS = {
  'openai.chat()': (to) => createOpenAI(to).chat('alpha'),
  'openai-compatible': (to) =>
    createOpenAICompatible({
      ...to,
      name: 'kopeck',
      includeUsage: true,
      supportsStructuredOutputs: true,
    })('alpha'),
} satisfies Record<string, (to: { baseURL: string; apiKey: string }) => LanguageModel>
const WAYS = Object.entries(MODELS)

function toSettings({ tools }: Conversation) {
  return {
    prompt: QUESTION,
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    tools: {
      weather: tool({
        description: WEATHER.description,
        inputSchema: z.object({ city: z.string() }),
        execute: (given) => tools.weather(given),
      }),
      sum: tool({
        description: SUM.description,
        inputSchema: z.object({ numbers: z.array(z.number()) }),
        execute: (given) => tools.sum(given),
      }),
    },
  }
}

function connect({ kopeck, baseURL }: Conversation) {
  return { baseURL, apiKey: kopeck.apiKey }
}

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(WAYS)(
  'AI SDK, %s: generateText() goes through its steps, paid as billed',
  async (_, toModel) => {
    const conversation = await startConversation()
    const model = toModel(connect(conversation))

    const { text, steps, totalUsage } = await generateText({ model, ...toSettings(conversation) })

    expect(steps).toHaveLength(3)
    const { bills } = conversation.upstream
    expect(totalUsage.inputTokens).toBe(sum(bills.map(({ promptTokens }) => promptTokens)))
    expect(totalUsage.outputTokens).toBe(sum(bills.map(({ completionTokens }) => completionTokens)))
    await conversation.expectTold(text)
  },
)

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(WAYS)(
  'AI SDK, %s: streamText() goes through its steps, paid as billed',
  async (_, toModel) => {
    const conversation = await startConversation()
    const model = toModel(connect(conversation))

    const answer = streamText({ model, ...toSettings(conversation) })
    await answer.consumeStream()

    expect(await answer.steps).toHaveLength(3)
    await conversation.expectTold(await answer.text)
  },
)

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(WAYS)(
  'AI SDK, %s: generateObject() gets its object, paid as billed',
  async (_, toModel) => {
    const conversation = await startConversation([{ text: TOWN_ANSWER }])
    const model = toModel(connect(conversation))

    const { object } = await generateObject({
      model,
      schema: Town,
      prompt: QUESTION,
      maxRetries: 0,
    })

    expect(object).toEqual(TOWN)
    expect(conversation.upstream.asked[0]?.response_format?.type).toBe('json_schema')
    await conversation.expectPaid({ requests: 1 })
  },
)

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(WAYS)('AI SDK, %s: thoughts between calls do not disturb it', async (_, toModel) => {
  const conversation = await startConversation([
    { thought: 'Хм, надо узнать.', calls: [['weather', { city: 'Тверь' }]] },
    { thought: 'Теперь ясно.', text: '−3 °C' },
  ])
  const model = toModel(connect(conversation))

  const answer = streamText({ model, ...toSettings(conversation) })
  await answer.consumeStream()

  expect(await answer.text).toBe('−3 °C')
  await conversation.expectPaid({ requests: 2 })
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
