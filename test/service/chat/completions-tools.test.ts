import { expect, test } from 'vitest'
import { estimateDefinitionTokens } from '../../../src/contract/token-estimate.ts'
import {
  calls,
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  usage,
} from '../providers/openai-server.ts'
import { theHold } from '../service-fixture.ts'
import { ANSWERS, askAsOpenAi, CHAT, COST, CREDIT, startChatService } from './chat-fixture.ts'

const TOOL = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Tells the weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
} as const
const SCHEMA = {
  type: 'json_schema',
  json_schema: { name: 'city', schema: { type: 'object' }, strict: true },
} as const
const BODY = { ...CHAT, tools: [TOOL] }
const CALL = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":' } }
const USAGE = usage(12, 5)

const CALLING = [
  calls({ index: 0, ...CALL }),
  calls({ index: 0, function: { arguments: ' "Тверь"}' } }),
  finish('tool_calls'),
  USAGE,
  DONE,
]

const callsPlainly: Responder = (response) => {
  const message = { role: 'assistant', content: null, tool_calls: [CALL] }
  response.end(
    JSON.stringify({
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    }),
  )
}

const refusesTools = refuses(400, '{"error":{"message":"gemma does not support tools"}}')

async function readEvents(response: Response) {
  const text = await response.text()
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
  return { text, events: data, deltas: data.flatMap(({ choices = [] }) => choices) }
}

test('tools, a schema and the rest go on as they came, and pieces of calls come back as they are', async () => {
  let asked: unknown
  const { kopeck } = await startChatService((response, what) => {
    asked = what.body
    return sends(...CALLING)(response, what)
  })
  const wishes = {
    tools: [{ ...TOOL, function: { ...TOOL.function, strict: true } }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    response_format: SCHEMA,
    seed: 1,
    stop: ['x'],
  }

  const { deltas, events } = await readEvents(
    await askAsOpenAi(kopeck, {
      ...CHAT,
      ...wishes,
      n: 1,
      stream: true,
      stream_options: { include_usage: true },
    }),
  )

  expect(asked).toMatchObject(wishes)
  expect(asked).not.toHaveProperty('n')
  expect(deltas).toMatchObject([
    { delta: { role: 'assistant', tool_calls: [{ index: 0, ...CALL }] }, finish_reason: null },
    { delta: { tool_calls: [{ index: 0, function: { arguments: ' "Тверь"}' } }] } },
    { delta: {}, finish_reason: 'tool_calls' },
  ])
  expect(events.at(-1)).toMatchObject({ usage: { total_tokens: 17 }, cost_rub: 0.0048 })
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${COST}` })
})

test('a conversation with a tool goes on: its call and its result reach the model, arguments that are no JSON, too', async () => {
  let asked: { messages?: object[] } = {}
  const { kopeck } = await startChatService([
    callsPlainly,
    (response, what) => {
      asked = what.body as { messages: object[] }
      return sends(delta('Снег'), finish(), USAGE, DONE)(response, what)
    },
  ])

  const first = Object(await (await askAsOpenAi(kopeck, BODY)).json()).choices[0]
  const result = { role: 'tool', tool_call_id: 'c1', content: '-3' }
  const messages = [...CHAT.messages, { ...first.message, reasoning_content: 'hm' }, result]
  const second = await askAsOpenAi(kopeck, { ...BODY, messages })

  expect(first).toEqual({
    index: 0,
    message: { role: 'assistant', content: null, refusal: null, tool_calls: [CALL] },
    logprobs: null,
    finish_reason: 'tool_calls',
  })
  expect(asked.messages).toEqual([
    ...CHAT.messages,
    { role: 'assistant', content: null, tool_calls: [CALL], reasoning_content: 'hm' },
    result,
  ])
  expect(await second.json()).toMatchObject({
    choices: [{ message: { content: 'Снег' }, finish_reason: 'stop' }],
  })
  expect(await kopeck.balance()).toBe(CREDIT - 2n * COST)
})

test('definitions are part of the estimate, and of what is charged where the model tells no usage', async () => {
  const { kopeck } = await startChatService([
    ANSWERS,
    sends(...CALLING.filter((part) => part !== USAGE)),
  ])
  await askAsOpenAi(kopeck, CHAT)
  const plain = await theHold(kopeck.pool)
  await kopeck.pool.query('DELETE FROM service.request')

  await (await askAsOpenAi(kopeck, { ...BODY, response_format: SCHEMA, stream: true })).text()

  const { amount, cost, state } = await theHold(kopeck.pool)
  const tokens = estimateDefinitionTokens({ tools: [TOOL], response_format: SCHEMA })
  expect(tokens).toBeGreaterThan(60)
  expect(Number(amount) - Number(plain.amount)).toBeCloseTo(tokens * 1.25 * 150, -3)
  expect(state).toBe('settled')
  expect(Number(cost)).toBeGreaterThan(tokens * 150)
})

test('an upstream that refuses tools: 400 with its reason, the estimate goes back', async () => {
  const { kopeck } = await startChatService(refusesTools)

  const refused = await askAsOpenAi(kopeck, BODY)

  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: {
      message: 'The model refused the request: gemma does not support tools',
      code: 'model_refused',
    },
  })
  expect(await kopeck.balance()).toBe(CREDIT)
})
