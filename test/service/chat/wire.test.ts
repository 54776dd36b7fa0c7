import { expect, test } from 'vitest'
import { createOpenAiWire } from '../../../src/service/chat/wire.ts'

const COST = { usage: { promptTokens: 12, completionTokens: 5 }, costMicroRub: 4800n }
const HEAD =
  '"id":"request","object":"chat.completion.chunk","created":1700000000,"model":"alpha","choices":['

function createWire(includeUsage = false) {
  const createdAt = new Date(1_700_000_000_999)
  return createOpenAiWire({ includeUsage, createdAt })({ requestId: 'request', modelId: 'alpha' })
}

test('a stream is exactly these bytes', () => {
  const wire = createWire()

  const events = wire.delta({ text: 'a' }) + wire.delta({ text: '"\n' }) + wire.end('stop', COST)

  expect(events.split('\n\n')).toEqual([
    `data: {${HEAD}{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}`,
    `data: {${HEAD}{"index":0,"delta":{"content":"\\"\\n"},"finish_reason":null}]}`,
    `data: {${HEAD}{"index":0,"delta":{},"finish_reason":"stop"}]}`,
    'data: [DONE]',
    '',
  ])
})

test('a stream that reports its usage has one event more, and null in each before it', () => {
  const wire = createWire(true)

  const events = wire.delta({ text: 'a' }) + wire.delta({ text: 'b' }) + wire.end('stop', COST)

  expect(events.split('\n\n')).toEqual([
    `data: {${HEAD}{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}],"usage":null}`,
    `data: {${HEAD}{"index":0,"delta":{"content":"b"},"finish_reason":null}],"usage":null}`,
    `data: {${HEAD}{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`,
    `data: {${HEAD}],"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17},"cost_rub":0.0048}`,
    'data: [DONE]',
    '',
  ])
})

test.each([
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'stop'],
] as const)('an answer that ended by %s ends for OpenAI’s clients by %s', (reason, shown) => {
  expect(createWire().plain({ text: 'a' }, reason, COST)).toMatchObject({
    choices: [{ finish_reason: shown }],
  })
})

test('a call that its upstream did not name gets an id, streamed and plain', () => {
  const call = { index: 0, function: { name: 'f' } }
  const wire = createWire()

  const [first, second] = [0, 0].map(() => wire.delta({ text: '', toolCalls: [call] }))

  expect(first).toMatch(/"id":"call_[-0-9a-f]{36}","type":"function"/)
  expect(second).not.toContain('call_')
  expect(wire.plain({ text: '', toolCalls: [call] }, 'stop', COST)).toMatchObject({
    choices: [
      {
        message: {
          content: null,
          tool_calls: [
            {
              id: expect.stringMatching(/^call_/),
              type: 'function',
              function: { name: 'f', arguments: '' },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  })
})
