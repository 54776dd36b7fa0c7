import { expect, test } from 'vitest'
import { inSpan, type Span, spans, withTraceparent } from '../../../src/platform/tracing/span.ts'
import { sendJson } from '../http/local-server.ts'
import { startCollector } from './collector.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const span = (name: string, more: Partial<Span> = {}): Span => ({
  name,
  kind: 'internal',
  attributes: {},
  ...more,
})

test('a span within another is a part of it, over every await', async () => {
  const collector = await startCollector()

  await inSpan(span('outer'), async () => {
    await new Promise((resolve) => setImmediate(resolve))
    await inSpan(span('inner', { attributes: { tokens: 7 } }), async () => {})
  })

  await expect.poll(collector.spans).toHaveLength(2)
  const [inner, outer] = collector.spans()
  expect(inner).toMatchObject({ name: 'inner', attributes: { tokens: '7' }, isError: false })
  expect(inner?.parentSpanId).toBe(outer?.spanId)
  expect(inner?.traceId).toBe(outer?.traceId)
  expect(collector.requests[0]?.path).toBe('/v1/traces')
})

// Promise: A prompt, a key or a query would come into a trace
test('what fails is exported by its kind, without its message', async () => {
  const collector = await startCollector()
  const failing = inSpan(span('failing'), async () => {
    throw new RangeError('a prompt that somebody wrote')
  })

  await expect(failing).rejects.toThrow(RangeError)

  await expect.poll(collector.spans).toHaveLength(1)
  expect(collector.spans()[0]).toMatchObject({
    isError: true,
    attributes: { 'error.type': 'RangeError' },
  })
  expect(collector.text()).not.toContain('somebody wrote')
})

test('a traceparent is taken in, and passed on with the span that is open', async () => {
  const collector = await startCollector()
  let sent: Record<string, string> = {}

  const traceparent = `00-${TRACE}-${PARENT}-01`
  await inSpan(span('asked', { traceparent }), async () => {
    sent = withTraceparent({ accept: '*/*' })
  })

  await expect.poll(collector.spans).toHaveLength(1)
  const [asked] = collector.spans()
  expect(asked).toMatchObject({ traceId: TRACE, parentSpanId: PARENT })
  expect(sent).toEqual({ accept: '*/*', traceparent: `00-${TRACE}-${asked?.spanId}-01` })
})

test('who asks may say that a request is not to be traced, and its parts are not either', async () => {
  const collector = await startCollector()

  await inSpan(span('asked', { traceparent: `00-${TRACE}-${PARENT}-00` }), async () => {
    await inSpan(span('part'), async () => {})
    expect(withTraceparent({}).traceparent).toMatch(/-00$/)
  })

  await collector.stop(20_000)
  expect(collector.spans()).toEqual([])
})

test('a collector reads which program the spans are of', async () => {
  const attributes = { 'service.name': 'kopeck-test', 'service.version': '1.2.3', team: 'боты' }
  const collector = await startCollector({ attributes })

  await inSpan(span('any'), async () => {})

  await expect.poll(collector.resource).toEqual(attributes)
})

test('a part of all traces is exported, each with all of its spans: the same part by every process', async () => {
  const collector = await startCollector({ sampling: { ratio: 0.5, followsParent: false } })
  // The sampler takes an id for a number from 0 to 1, by its four words: these are 0.46 and 0.52.
  const taken = `00-fa${TRACE.slice(2)}-${PARENT}-00`
  const left = `00-${TRACE}-${PARENT}-01`

  for (const [name, traceparent] of Object.entries({ taken, left })) {
    await inSpan(span(name, { traceparent }), async () => {
      await inSpan(span(`part of ${name}`), async () => {})
    })
  }

  await collector.stop(20_000)
  expect(collector.spans().map(({ name }) => name)).toEqual(['part of taken', 'taken'])
})

test.each([
  [{ ratio: 0, followsParent: true }, ['asked']],
  [{ ratio: 1, followsParent: true }, ['asked', 'begun here']],
  [{ ratio: 0, followsParent: false }, []],
  [{ ratio: 1, followsParent: false }, ['asked', 'asked not to', 'begun here']],
])('with the sampling %j the spans of %j are exported', async (sampling, exported) => {
  const collector = await startCollector({ sampling })
  await inSpan(span('asked', { traceparent: `00-${TRACE}-${PARENT}-01` }), async () => {})
  await inSpan(span('asked not to', { traceparent: `00-${TRACE}-${PARENT}-00` }), async () => {})
  await inSpan(span('begun here'), async () => {})

  await collector.stop(20_000)

  expect(collector.spans().map(({ name }) => name)).toEqual(exported)
})

test.each([
  '',
  'here',
  `ff-${TRACE}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-01-more`,
])('the traceparent %j is none: a trace begins here', async (traceparent) => {
  const collector = await startCollector()

  await inSpan(span('asked', { traceparent }), async () => {})

  await expect.poll(collector.spans).toHaveLength(1)
  expect(collector.spans()[0]?.traceId).not.toBe(TRACE)
  expect(collector.spans()[0]?.parentSpanId).toBeUndefined()
})

test('the last spans are sent when tracing stops, and none after it', async () => {
  const collector = await startCollector()
  await inSpan(span('last'), async () => {})

  await collector.stop(20_000)

  expect(collector.spans().map(({ name }) => name)).toEqual(['last'])
  expect(spans.hasSubscribers).toBe(false)
  expect(withTraceparent({})).toEqual({})
  await expect(inSpan(span('later'), async () => 'done')).resolves.toBe('done')
})

// Promise: A collector of traces is away, or refuses
test.each([
  ['refuses', 400],
  ['is away', 503],
])(
  'a collector that %s loses spans and nothing else, and holds nothing up',
  async (_how, status) => {
    const collector = await startCollector({ status })

    await expect(inSpan(span('lost'), async () => 'done')).resolves.toBe('done')

    await expect.poll(() => collector.requests.length).toBeGreaterThan(0)
    // What is tried again until it is too late does not keep the process.
    await collector.stop(100)
  },
)

// Promise: A collector of traces is away, or refuses
test('the operator hears of spans that were lost', async () => {
  const collector = await startCollector({ status: 400 })

  await Promise.all([1, 2, 3].map(() => inSpan(span('lost'), async () => {})))

  await expect.poll(() => collector.errors).toHaveLength(1)
  expect(collector.lost()).toBe(3)
})

// Promise: A collector of traces is away, or refuses
test('spans that find no room while a batch is on its way are lost, and counted', async () => {
  const gate = Promise.withResolvers<void>()
  const collector = await startCollector({
    answer: async (response) => {
      await gate.promise
      sendJson(response, 200, {})
    },
  })
  await inSpan(span('first'), async () => {})
  await expect.poll(() => collector.requests.length).toBe(1)

  await Promise.all(Array.from({ length: 2048 + 7 }, () => inSpan(span('waiting'), async () => {})))

  expect(collector.lost()).toBe(7)
  gate.resolve()
  await expect.poll(() => collector.spans().length, { timeout: 10_000 }).toBe(1 + 2048)
  expect(collector.lost()).toBe(7)
})
