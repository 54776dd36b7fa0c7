import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { CREDIT } from '../service/chat/chat-fixture.ts'
import { startStrictUpstream } from './strict-upstream.ts'
import { startConversation, WEATHER } from './tool-conversation.ts'

const USER = { role: 'user', content: 'Hi' } as const
const TOOL = { type: 'function', function: WEATHER } as const
const CALLS: OpenAI.ChatCompletionMessageParam = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ржев"}' } },
  ],
}
const RESULT = { role: 'tool', tool_call_id: 'c1', content: '-5' } as const

test.each([
  ['an unknown field', { stop_words: [] }, "Unknown parameter: 'stop_words'"],
  ['a result that answers no call', { messages: [USER, RESULT] }, 'must follow the call'],
  ['a call without a result', { messages: [USER, CALLS] }, 'No tool output found'],
  ['one before other words', { messages: [USER, CALLS, USER] }, 'have no result'],
  ['a result that comes twice', { messages: [USER, CALLS, RESULT, RESULT] }, 'must follow'],
  ['an answer of nothing', { messages: [{ role: 'assistant', content: null }] }, 'got null'],
  ['a choice without tools', { tool_choice: 'auto' }, 'only allowed when'],
  [
    'a strict schema that is not',
    { tools: [{ ...TOOL, function: { name: 'f', strict: true, parameters: { type: 'object' } } }] },
    'not strict',
  ],
])('the strict upstream refuses %s', async (_, wrong, said) => {
  const upstream = await startStrictUpstream([])
  onTestFinished(() => upstream[Symbol.asyncDispose]())

  const response = await fetch(`${upstream.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [USER], ...wrong }),
  })

  expect(response.status).toBe(400)
  expect(Object(await response.json()).error.message).toContain(said)
  expect(upstream.bills).toEqual([])
})

test('openai: what only the upstream minds comes back in its words, and costs nothing', async () => {
  const { kopeck, baseURL, upstream } = await startConversation()
  const client = new OpenAI({ baseURL, apiKey: kopeck.apiKey, maxRetries: 0 })

  const asking = client.chat.completions.create({
    model: 'alpha',
    messages: [USER, CALLS],
    tools: [TOOL],
  })

  await expect(asking).rejects.toMatchObject({
    status: 400,
    code: 'model_refused',
    message: expect.stringContaining('No tool output found for c1'),
  })
  expect(upstream.bills).toEqual([])
  expect(await kopeck.balance()).toBe(CREDIT)
})
