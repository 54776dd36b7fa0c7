import { expect, onTestFinished, test } from 'vitest'
import { createServiceClient } from '../../../src/contract/client/service-client.ts'
import { inSpan } from '../../../src/platform/tracing/span.ts'
import { type CollectedSpan, startCollector } from '../../platform/tracing/collector.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  startOpenAiServer,
  usage,
} from '../providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../service-fixture.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const PROMPT = 'for one reader only'
const BODY = { model: 'alpha', messages: [{ role: 'user', content: PROMPT }], max_tokens: 10 }

async function start(responder: Responder) {
  const collector = await startCollector()
  const passedOn: unknown[] = []
  const upstream = await startOpenAiServer((response, asked) => {
    passedOn.push(asked.headers.traceparent)
    return responder(response, asked)
  })
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  onTestFinished(async () => {
    await kopeck[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })
  return { collector, passedOn, kopeck }
}

/** The names of the spans in the order in which they ended, each with that of the span around it. */
function toTree(spans: readonly CollectedSpan[]): string[] {
  const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name
  return spans.map(({ name, parentSpanId }) => `${name} < ${nameOf(parentSpanId) ?? 'nothing'}`)
}

test.each([true, false])(
  'a chat is one trace, from its client through the service to the upstream (stream: %s)',
  async (stream) => {
    const { collector, passedOn, kopeck } = await start(
      sends(delta('a'), finish(), usage(1, 1), DONE),
    )

    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
    await (await kopeck.chat({ ...BODY, stream }, { headers })).text()

    await expect.poll(collector.spans).toHaveLength(4)
    const spans = collector.spans()
    expect(toTree(spans).toSorted()).toEqual([
      'POST /api/v1/chats/completions < nothing',
      'hold < POST /api/v1/chats/completions',
      'settlement < POST /api/v1/chats/completions',
      'upstream attempt < POST /api/v1/chats/completions',
    ])
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
    const attempt = spans.find(({ name }) => name === 'upstream attempt')
    expect(passedOn).toEqual([`00-${TRACE}-${attempt?.spanId}-01`])
    const request = spans.find(({ parentSpanId }) => parentSpanId === PARENT)
    expect(request?.attributes).toMatchObject({
      'http.response.status_code': '200',
      'kopeck.account_id': String(kopeck.accountId),
    })
  },
)

test('what a client does in a span of its own is in its trace', async () => {
  const { collector, kopeck } = await start(sends(delta('a'), finish(), usage(1, 1), DONE))
  const client = createServiceClient({ baseUrl: `${kopeck.origin}/api/v1`, apiKey: kopeck.apiKey })
  onTestFinished(() => client.close())

  await inSpan({ name: 'bot turn', kind: 'internal', attributes: {} }, async () => {
    for await (const _ of client.streamChat({ model: 'alpha', messages: BODY.messages as never })) {
    }
  })

  await expect.poll(() => toTree(collector.spans())).toContain('POST < bot turn')
  await expect
    .poll(() => toTree(collector.spans()))
    .toContain('POST /api/v1/chats/completions < POST')
})

// Promise: A prompt, a key or a query would come into a trace
test('no prompt, key or query is in a trace', async () => {
  const { collector, kopeck } = await start(refuses(400, `no ${PROMPT}`))

  await kopeck.chat(BODY)
  await kopeck.call('/balance?token=hush')
  await kopeck.call('/nothing/hush')

  await expect.poll(() => toTree(collector.spans()).join()).toContain('GET unknown')
  await collector.stop(20_000)
  expect(collector.spans().find(({ name }) => name === 'upstream attempt')?.isError).toBe(true)
  for (const secret of [PROMPT, kopeck.apiKey, 'hush']) {
    expect(collector.text()).not.toContain(secret)
  }
})
