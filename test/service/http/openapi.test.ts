import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../service-fixture.ts'
import { findFaults, type OpenApi, readOpenApi } from './openapi-document.ts'

let kopeck: TestService
let document: OpenApi

beforeAll(async () => {
  kopeck = await startTestService()
  document = await readOpenApi(kopeck)
})
afterAll(() => kopeck[Symbol.asyncDispose]())

test('what a route says of callbacks is true of it', () => {
  const { description, parameters } = document.paths['/videos/vidgen-generate']?.post ?? {}
  const image = document.paths['/images/imagegen-generate']?.post

  const callbackUrl = parameters?.find(({ name }) => name === 'X-Callback-Url')

  expect(description).not.toContain('X-Callback-Url')
  expect(callbackUrl?.description).toContain('never called')
  expect(image?.description).toContain('Without `X-Callback-Url`')
})

test('a plain answer and a streamed one have schemas of their own', () => {
  for (const [path, answer, events] of [
    ['/chats/completions', 'ChatResponse', ['ChatChunk', 'ChatStreamError']],
    ['/chat/completions', 'OpenAiCompletion', ['OpenAiCompletionChunk', 'OpenAiError']],
  ] as const) {
    const { content } = document.paths[path]?.post?.responses['200'] ?? {}

    expect(content?.['application/json']?.schema.$ref).toBe(`#/components/schemas/${answer}`)
    expect(content?.['text/event-stream']?.schema.contentSchema?.anyOf).toEqual(
      events.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    )
  }
})

test('every reference leads somewhere', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  )

  for (const ref of refs) {
    const target = ref.split('/').reduce<unknown>((part, key) => Object(part)[key], document)
    expect(target, ref).toBeDefined()
  }
  expect(refs.length).toBeGreaterThan(20)
})

test('each route of the interface is there', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )

  expect(operations).toEqual(
    expect.arrayContaining([
      'POST /chats/completions',
      'GET /chats/models',
      'GET /balance',
      'GET /callback/secret',
      'POST /videos/vidgen-generate',
      'GET /task/{task_id}',
    ]),
  )
})

test('each operation says what it does, to what it belongs and how it refuses', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

  for (const { summary, tags, responses, operationId } of operations) {
    expect(summary).toMatch(/./)
    expect(operationId).toMatch(/^[a-z][A-Za-z]+$/)
    expect(['chat', 'openai', 'generation', 'account']).toContain(tags?.join())
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '500', '503']))
  }
  expect(operations).toHaveLength(13)
})

test('each documented route exists: without a key it is 401, not 404', async () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of Object.keys(item)) {
      const url = `${kopeck.origin}/api/v1${path.replace('{task_id}', '1')}`
      const { status } = await fetch(url, { method: method.toUpperCase() })
      expect([path, status]).toEqual([path, 401])
    }
  }
})

test('each example is what its schema says', () => {
  const examples = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
    .flatMap((part) => Object.values(part?.content ?? {}))
    .map(({ schema, example }) => ({ schema, example: example ?? findExample(schema) }))

  for (const { schema, example } of examples)
    expect(findFaults(document, schema, example)).toEqual([])
  expect(examples.length).toBeGreaterThan(40)
})

test('a creation takes an idempotency key and a callback URL; a 429 says when to come back', () => {
  const { parameters, responses } = document.paths['/videos/vidgen-generate']?.post ?? {}

  expect(parameters).toEqual([
    expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: false }),
    expect.objectContaining({ name: 'X-Callback-Url', in: 'header', required: false }),
  ])
  expect(responses?.['429']?.headers).toHaveProperty('Retry-After')
})

test('the callback of a task is described where there is one: not for videos', () => {
  const withCallbacks = Object.entries(document.paths).flatMap(([path, { post }]) =>
    post?.callbacks === undefined ? [] : [path],
  )

  expect(withCallbacks.sort()).toEqual(['/images/imagegen-generate', '/sounds/soundgen-generate'])
})

test('the callback of a task is described with the headers that sign it', () => {
  const { callbacks } = document.paths['/images/imagegen-generate']?.post ?? {}

  const { post } = Object.values(document.components.callbacks.taskEnded ?? {})[0] ?? {}

  expect(callbacks).toEqual({ taskEnded: { $ref: '#/components/callbacks/taskEnded' } })
  expect(post?.parameters?.map(({ name }) => name)).toEqual([
    'X-Callback-Timestamp',
    'X-Callback-Signature',
  ])
})

function findExample({ $ref = '' }: { $ref?: string }): unknown {
  return document.components.schemas[$ref.replace('#/components/schemas/', '')]?.examples?.[0]
}
