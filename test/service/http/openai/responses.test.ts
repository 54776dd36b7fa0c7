import { expect, test } from 'vitest'
import { CHAT, CREDIT, startChatService } from '../../chat/chat-fixture.ts'
import {
  calls,
  DONE,
  delta,
  event,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndResets,
  usage,
} from '../../providers/openai-server.ts'
import { type TestService, theHold } from '../../service-fixture.ts'

const USAGE = usage(12, 5)
/** 12 × 150 and 5 × 600 roubles per 1M tokens. */
const COST = 4800n
const BODY = { model: 'alpha', input: 'Hi', max_output_tokens: 100 }
const TOOL = { type: 'function', name: 'weather', parameters: { type: 'object' } }
const CALL = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":' }
const RESULT = { type: 'function_call_output', call_id: 'c1', output: '-3' }

function ask(kopeck: TestService, body: object): Promise<Response> {
  return kopeck.call('/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function readEvents(response: Response) {
  const text = await response.text()
  const events = [...text.matchAll(/^event: (.*)\ndata: (.*)\n$/gm)].map(([, type, data = '']) => ({
    event: type,
    ...JSON.parse(data),
  }))
  expect(events.map((one) => one.event)).toEqual(events.map(({ type }) => type))
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
  return { text, events }
}

// Promise: A client made for OpenAI’s Responses asks
test('a request is asked for as the chat that it is, and the answer repeats it', async () => {
  let asked: unknown
  const { kopeck } = await startChatService((response, what) => {
    asked = what.body
    return sends(delta('Снег'), finish(), USAGE, DONE)(response, what)
  })

  const response = await ask(kopeck, {
    ...BODY,
    instructions: 'Be short',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Тверь?' }] },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Hm' }],
      },
      {
        type: 'message',
        id: 'm',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Let me see', annotations: [] }],
      },
      { ...CALL, id: 'fc_1', status: 'completed' },
      { ...CALL, call_id: 'c2', arguments: 'not JSON' },
      RESULT,
      { ...RESULT, call_id: 'c2' },
    ],
    tools: [TOOL],
    tool_choice: { type: 'function', name: 'weather' },
    text: { format: { type: 'json_schema', name: 'w', schema: { type: 'object' } } },
    reasoning: { effort: 'low' },
    temperature: 0.5,
    store: true,
    include: ['reasoning.encrypted_content'],
  })
  const body = await response.json()

  expect(asked).toMatchObject({
    max_tokens: 100,
    temperature: 0.5,
    reasoning_effort: 'low',
    messages: [
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Тверь?' },
      {
        role: 'assistant',
        content: 'Let me see',
        reasoning_content: 'Hm',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":' } },
          { id: 'c2', type: 'function', function: { name: 'weather', arguments: 'not JSON' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '-3' },
      { role: 'tool', tool_call_id: 'c2', content: '-3' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'w', schema: { type: 'object' } },
    },
  })
  const { request_id: id } = await theHold(kopeck.pool)
  expect(body).toMatchObject({
    id: `resp_${id}`,
    object: 'response',
    status: 'completed',
    model: 'alpha',
    output: [
      {
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Снег', annotations: [], logprobs: [] }],
      },
    ],
    store: false,
    previous_response_id: null,
    instructions: 'Be short',
    tools: [TOOL],
    usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
    cost_rub: 0.0048,
  })
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

// Promise: A client made for OpenAI’s Responses asks
test('a stream is the events of its items, one after the other: thoughts, text, calls', async () => {
  const { kopeck } = await startChatService(
    sends(
      event({ choices: [{ index: 0, delta: { reasoning_content: 'Hm' } }] }),
      delta('Let '),
      delta('me'),
      calls({ index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{}' } }),
      finish('tool_calls'),
      USAGE,
      DONE,
    ),
  )

  const { text, events } = await readEvents(await ask(kopeck, { ...BODY, stream: true }))

  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.reasoning_text.delta',
    'response.reasoning_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events.filter(({ type }) => type === 'response.output_text.delta')).toMatchObject([
    { output_index: 1, content_index: 0, delta: 'Let ' },
    { output_index: 1, content_index: 0, delta: 'me' },
  ])
  const { response } = events.at(-1)
  expect(response).toMatchObject({
    status: 'completed',
    output: [
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Let me' }] },
      {
        type: 'function_call',
        call_id: 'c1',
        name: 'weather',
        arguments: '{}',
        status: 'completed',
      },
    ],
    usage: { total_tokens: 17 },
    cost_rub: 0.0048,
  })
  expect(text).not.toContain('[DONE]')
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${COST}` })
})

// Promise: A client made for OpenAI’s Responses asks
test('an answer that reached its limit is incomplete, and says why', async () => {
  const { kopeck } = await startChatService(sends(delta('a'), finish('length'), USAGE, DONE))

  const plain = await (await ask(kopeck, BODY)).json()
  const { events } = await readEvents(await ask(kopeck, { ...BODY, stream: true }))

  const incomplete = {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  }
  expect(plain).toMatchObject(incomplete)
  expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: incomplete })
})

// Promise: A client made for OpenAI’s Responses asks
test('a stream that breaks ends with an error, and its estimate is kept', async () => {
  const { kopeck } = await startChatService(sendsAndResets(delta('half')))

  const { events } = await readEvents(await ask(kopeck, { ...BODY, stream: true }))

  expect(events.at(-1)).toMatchObject({
    type: 'error',
    code: 'server_error',
    message: 'The model broke off its answer.',
  })
  const { state, amount, cost } = await theHold(kopeck.pool)
  expect({ state, cost }).toEqual({ state: 'kept', cost: amount })
})

// Promise: A client made for OpenAI’s Responses asks
test('a repeat with the same Idempotency-Key is given the same answer, ids and all', async () => {
  const { kopeck } = await startChatService(
    sends(
      calls({ index: 0, type: 'function', function: { name: 'f', arguments: '{}' } }),
      finish(),
      USAGE,
      DONE,
    ),
    { onlyStreams: true },
  )
  const post = async () => {
    const response = await kopeck.call('/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify(BODY),
    })
    return await response.json()
  }

  const first = await post()

  expect(await post()).toEqual(first)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

const refusesTools: Responder = refuses(400, '{"error":{"message":"it does not support tools"}}')

// Promise: A client made for OpenAI’s Responses asks
test.each<[string, object, string, string]>([
  [
    'a response of before',
    { previous_response_id: 'resp_1' },
    'previous_response_id',
    'is not supported',
  ],
  ['a conversation of ours', { conversation: 'conv_1' }, 'conversation', 'is not supported'],
  ['work in the background', { background: true }, 'background', 'is not supported'],
  ['something unknown', { top_k: 1 }, 'top_k', 'is not known here'],
  ['nothing', { input: [] }, 'input', 'must not be empty'],
  [
    'a picture',
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] },
    'input[0].content[0].type',
    'must be',
  ],
  ['a search', { tools: [{ type: 'web_search' }] }, 'tools[0].type', 'must be "function"'],
  [
    'an item of ours',
    { input: [{ type: 'item_reference', id: 'x' }] },
    'input[0].type',
    'Set store to false',
  ],
  ['a result without its call', { input: [RESULT] }, 'input[0].call_id', 'is the id of no call'],
  ['a call twice', { input: [CALL, CALL] }, 'input[1].call_id', 'is the id of another call'],
  [
    'two tools of one name',
    { tools: [TOOL, TOOL] },
    'tools[1].name',
    'is the name of another tool',
  ],
  [
    'no tool of the name',
    { tools: [TOOL], tool_choice: { type: 'function', name: 'x' } },
    'tool_choice.name',
    'is none of the tools',
  ],
  ['too long an answer', { max_output_tokens: 10_000_000 }, 'max_output_tokens', 'must be at most'],
  ['what no upstream can', { tools: [TOOL] }, 'tools', 'is not supported by the model'],
])('%s is refused by name, and nothing is charged', async (_, fields, param, message) => {
  const { kopeck } = await startChatService(refusesTools)

  const response = await ask(kopeck, { ...BODY, ...fields })

  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 400,
    body: {
      error: { param, message: expect.stringContaining(message), type: 'invalid_request_error' },
    },
  })
  expect(await kopeck.balance()).toBe(CREDIT)
})

// Promise: A client made for OpenAI’s Responses asks
test('a request that is too long for the model is refused by the name of its input', async () => {
  const { kopeck } = await startChatService(refusesTools, { context_tokens: 100 })

  const response = await ask(kopeck, { ...BODY, input: CHAT.messages[0]?.content.repeat(500) })

  expect(await response.json()).toMatchObject({
    error: { param: 'input', code: 'context_length_exceeded' },
  })
})
