import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndResets,
  startOpenAiServer,
} from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'
import {
  findAnswer,
  findAnswerFaults,
  findFaults,
  type OpenApi,
  readOpenApi,
} from './openapi-document.ts'

let kopeck: TestService
let document: OpenApi

beforeAll(async () => {
  kopeck = await startTestService()
  document = await readOpenApi(kopeck)
})
afterAll(() => kopeck[Symbol.asyncDispose]())

test('each example is what its schema says', () => {
  const examples = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => [
      operation.requestBody,
      ...Object.keys(operation.responses).map((status) => findAnswer(document, operation, status)),
    ])
    .flatMap((part) => Object.values(part?.content ?? {}))
    .map(({ schema, example }) => ({ schema, example: example ?? findExample(schema) }))

  for (const { schema, example } of examples)
    expect(findFaults(document, schema, example)).toEqual([])
  expect(examples.length).toBeGreaterThan(40)
})

function findExample({ $ref = '' }: { $ref?: string }): unknown {
  return document.components.schemas[$ref.replace('#/components/schemas/', '')]?.examples?.[0]
}

const CHAT_PATH = '/chats/completions'
const OPENAI_PATH = '/chat/completions'
const VIDEO_PATH = '/videos/vidgen-generate'
const CHAT = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }] }
const VIDEO = { prompt: 'a cat', aspect_ratio: '1280:720' }
const ANSWERS = sends(delta('a'), finish(), DONE)

async function start(responder: Responder = ANSWERS) {
  const upstream = await startOpenAiServer(responder)
  const { generation } = builtInServiceConfig()
  const kopeck = await startTestService({
    config: { ...upstreamConfig(upstream.baseUrl), generation },
  })
  untilTestEnds(upstream, kopeck)
  const document = await readOpenApi(kopeck)
  return {
    kopeck,
    document,
    async ask(method: string, path: string, init: RequestInit = {}, url = path) {
      const answer = await kopeck.call(url, { method, ...init })
      return [answer.status, await findAnswerFaults(document, { method, path }, answer)]
    },
  }
}

function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

test('what succeeds is answered as documented', async () => {
  const { kopeck, ask } = await start()
  const created = await kopeck.call(VIDEO_PATH, { method: 'POST', ...json(VIDEO) })
  const { task_id: taskId } = (await created.json()) as { task_id: number }

  expect(await ask('POST', CHAT_PATH, json(CHAT))).toEqual([200, []])
  expect(await ask('POST', CHAT_PATH, json({ ...CHAT, stream: true }))).toEqual([200, []])
  expect(await ask('POST', OPENAI_PATH, json(CHAT))).toEqual([200, []])
  expect(await ask('POST', OPENAI_PATH, json({ ...CHAT, stream: true }))).toEqual([200, []])
  expect(await ask('GET', '/models/{model}', {}, '/models/alpha')).toEqual([200, []])
  expect(await ask('POST', VIDEO_PATH, json(VIDEO))).toEqual([200, []])
  expect(await ask('GET', '/task/{task_id}', {}, `/task/${taskId}`)).toEqual([200, []])
  for (const path of ['/chats/models', '/models', '/balance', '/key', '/callback/secret']) {
    expect(await ask('GET', path)).toEqual([200, []])
  }
})

test('what is refused is answered as documented, wherever and why', async () => {
  const { kopeck, document, ask } = await start()
  const { id } = await createAccount(kopeck.pool, { name: 'poor', creditMicroRub: 0n })
  const poor = { authorization: `Bearer ${await createApiKey(kopeck.pool, id)}` }

  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of Object.keys(item)) {
      const noKey = { headers: { authorization: '' } }
      expect(await ask(method.toUpperCase(), path, noKey)).toEqual([401, []])
    }
  }
  for (const [path, good] of [
    [CHAT_PATH, CHAT],
    [VIDEO_PATH, VIDEO],
  ] as const) {
    const xml = { headers: { 'content-type': 'text/xml' }, body: '<a/>' }
    expect(await ask('POST', path, json(good, poor))).toEqual([402, []])
    expect(await ask('POST', path, json({}))).toEqual([422, []])
    expect(await ask('POST', path, xml)).toEqual([415, []])
  }
  expect(await ask('POST', OPENAI_PATH, json(CHAT, poor))).toEqual([402, []])
  expect(await ask('POST', OPENAI_PATH, json({ ...CHAT, tools: [{}] }))).toEqual([400, []])
  expect(await ask('POST', OPENAI_PATH, json({ ...CHAT, model: 'x' }))).toEqual([404, []])
  expect(await ask('GET', '/models/{model}', {}, '/models/x')).toEqual([404, []])
  const large = json({ ...VIDEO, prompt: 'x'.repeat(300_000) })
  expect(await ask('POST', VIDEO_PATH, large)).toEqual([413, []])
  expect(await ask('GET', '/task/{task_id}', {}, '/task/999')).toEqual([404, []])
})

test.each<[string, number, Responder]>([
  ['refuses', 502, refuses(400, '{}')],
  ['is not there', 503, refuses(503, '')],
])('an upstream that %s is answered as documented', async (_, status, responder) => {
  const { ask } = await start(responder)

  expect(await ask('POST', CHAT_PATH, json({ ...CHAT, stream: true }))).toEqual([status, []])
  const shown = status === 502 ? 400 : status
  expect(await ask('POST', OPENAI_PATH, json({ ...CHAT, stream: true }))).toEqual([shown, []])
})

test('every event of a broken stream is a documented one', async () => {
  const { kopeck, document } = await start(sendsAndResets(delta('a')))
  const stream_options = { include_usage: true }
  const body = json({ ...CHAT, stream: true, stream_options })
  const text = await (await kopeck.call(OPENAI_PATH, { method: 'POST', ...body })).text()

  const events = text.trimEnd().split('\n\n')

  const operation = document.paths[OPENAI_PATH]?.post
  const { content } = (operation && findAnswer(document, operation, 200)) ?? {}
  const schema = content?.['text/event-stream']?.schema.contentSchema ?? {}
  for (const event of events.filter((each) => each !== 'data: [DONE]')) {
    expect(findFaults(document, schema, JSON.parse(event.replace('data: ', '')))).toEqual([])
  }
  expect(events).toHaveLength(2)
})
