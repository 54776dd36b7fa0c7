import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '../../service/http/raw-request.ts'
import { startTestService, type TestService } from '../../service/service-fixture.ts'

/** The same cases in every run; a failure prints the path to the smallest one. */
const BOUNDS = { seed: 20261121, numRuns: 300 }

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService({ creditMicroRub: 0n })
})
afterAll(() => kopeck[Symbol.asyncDispose]())

const CREATIONS = [
  '/chats/completions',
  '/videos/vidgen-generate',
  '/images/imagegen-generate',
  '/sounds/soundgen-generate',
]

const wildText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '\0',
    '\ud800',
    '\udfff\ud800',
    '__proto__',
    'constructor',
    '',
    ' ',
    '\u202e',
    '0',
  ),
  fc.nat({ max: 20_000 }).map((length) => 'я'.repeat(length)),
)

const wildJson = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: wildText.map((text) => JSON.stringify(text)) },
  fc.constantFrom('1e999', '-1e999', '1e-999', '-0', '9007199254740993', '10.5', 'null', 'true'),
  fc.constantFrom('{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"a":1,"a":2}'),
  fc.nat({ max: 50_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.nat({ max: 20_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
)

const wildBody = fc
  .record(
    {
      model: fc.oneof(fc.constant('"alpha-large"'), wildJson),
      messages: fc.oneof(
        fc.constant('[{"role":"user","content":"hi"}]'),
        wildJson.map((content) => `[{"role":"user","content":${content}}]`),
        wildJson.map((extra) => `[{"role":"user","content":"hi","extra":${extra}}]`),
        wildJson,
      ),
      max_tokens: fc.oneof(fc.constant('10'), wildJson),
      stream: fc.oneof(fc.constantFrom('true', 'false', 'null'), wildJson),
      prompt: fc.oneof(fc.constant('"a cat"'), wildJson),
      aspect_ratio: fc.oneof(fc.constant('"1280:720"'), wildJson),
      duration: fc.oneof(fc.constantFrom('5', '10'), wildJson),
      quality: fc.oneof(fc.constantFrom('"720p"', '"1080p"'), wildJson),
      image_url: wildJson,
      extra: wildJson,
    },
    { requiredKeys: ['model', 'messages', 'prompt', 'aspect_ratio'] },
  )
  .map((fields) => {
    const parts = Object.entries(fields).map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    return `{${parts.join(',')}}`
  })

async function expectAnswer(path: string, sent: string): Promise<void> {
  const { status, text, body } = await sendRaw(kopeck.origin, {
    path: `/api/v1${path}`,
    apiKey: kopeck.apiKey,
    body: sent,
  })
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d+|^ +at /m)
  if (status !== undefined && status >= 400) expect(JSON.parse(body)).toHaveProperty('detail')
}

async function expectNothingTaken(): Promise<void> {
  const { rows } = await kopeck.pool.query('SELECT count(*)::int AS entries FROM service.movement')
  expect(rows).toEqual([{ entries: 0 }])
}

test('no body makes a route fail, hang or charge', async () => {
  const body = fc.oneof({ weight: 4, arbitrary: wildBody }, wildJson, wildText)
  const creations = fc.constantFrom(...CREATIONS)

  await fc.assert(fc.asyncProperty(creations, body, expectAnswer), BOUNDS)
  await expectNothingTaken()
})
