import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { generateSource } from 'oazapfts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenApi, readOpenApi } from '../service/http/openapi-document.ts'
import { startTestService, type TestService } from '../service/service-fixture.ts'

const run = promisify(execFile)

const PROGRAM = `
import * as kopeck from './client.ts'

const [baseUrl, key] = process.argv.slice(2)
kopeck.defaults.baseUrl = baseUrl
kopeck.defaults.headers = { Authorization: \`Bearer \${key}\` }
const model = 'alpha-large'
const messages = [{ role: 'user' as const, content: 'hi' }]
const seen: Record<string, unknown> = {}

const chat = await kopeck.createChatCompletion({ model, messages, max_tokens: 5 })
if (chat.status === 200) seen.createChatCompletion = chat.data.cost_rub satisfies number
const models = await kopeck.listChatModels()
if (models.status === 200) seen.listChatModels = models.data.models[0]?.id satisfies string | undefined

const answer = await kopeck.createOpenAiChatCompletion({ model, messages, max_completion_tokens: 5 })
if (answer.status === 200) {
  seen.createOpenAiChatCompletion = answer.data.choices[0]?.message.role satisfies 'assistant' | undefined
}
const list = await kopeck.listOpenAiModels()
if (list.status === 200) seen.listOpenAiModels = list.data.object satisfies 'list'
const found = await kopeck.getOpenAiModel(model)
if (found.status === 200) seen.getOpenAiModel = found.data.id satisfies string
const unknown = await kopeck.getOpenAiModel('x')
if (unknown.status === 404) seen.unknown = unknown.data.error.code satisfies string | null

const video = await kopeck.createVideo({ prompt: 'a cat', aspect_ratio: '1280:720' })
if (video.status === 200) seen.createVideo = video.data.task_id satisfies number
const image = await kopeck.createImage({ prompt: 'a cat' }, { idempotencyKey: 'one' })
if (image.status === 200) seen.createImage = image.data.task_id satisfies number
const sound = await kopeck.createSound({ prompt: 'a cat' })
if (sound.status === 200) {
  seen.createSound = sound.data.task_id satisfies number
  const task = await kopeck.getTask(sound.data.task_id)
  if (task.status === 200) seen.getTask = task.data.status satisfies 'waiting' | 'queuing' | 'generating' | 'success' | 'fail'
}
const refused = await kopeck.createImage({ prompt: '' })
if (refused.status === 422) seen.refused = refused.data.detail[0]?.msg satisfies string | undefined

const prices = await kopeck.listPrices()
if (prices.status === 200) seen.listPrices = prices.data.prices_rub.imagegen satisfies number | undefined
const balance = await kopeck.getBalance()
if (balance.status === 200) seen.getBalance = typeof (balance.data.balance_rub satisfies number)
const facts = await kopeck.getKey()
if (facts.status === 200) seen.getKey = typeof (facts.data.spent_rub satisfies number)
const secret = await kopeck.getCallbackSecret()
if (secret.status === 200) seen.getCallbackSecret = secret.data.secret.length

process.stdout.write(JSON.stringify(seen))
`

const CHECK = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--erasableSyntaxOnly'],
  ...['--target', 'esnext', '--module', 'nodenext', '--allowImportingTsExtensions'],
  ...['--typeRoots', resolve('node_modules/@types'), '--types', 'node', 'client.ts', 'program.ts'],
]

let kopeck: TestService
let document: OpenApi
let cwd: string

beforeAll(async () => {
  kopeck = await startTestService()
  document = await readOpenApi(kopeck)
  cwd = await mkdtemp(join(tmpdir(), 'kopeck-client-'))
  const source = join(cwd, 'openapi.json')
  await symlink(join(import.meta.dirname, 'node_modules'), join(cwd, 'node_modules'))
  await writeFile(join(cwd, 'package.json'), '{"type":"module"}')
  await writeFile(source, JSON.stringify(document))
  await writeFile(join(cwd, 'client.ts'), await generateSource(source))
  await writeFile(join(cwd, 'program.ts'), PROGRAM)
})
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true })
  await kopeck[Symbol.asyncDispose]()
})

// Promise: A change makes the OpenAPI document untrue, or unreadable for a generator of clients
test('a client generated of the document compiles, and so does a program that reads its answers', async () => {
  const checked = await run(resolve('node_modules/.bin/tsc'), CHECK, { cwd }).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  )

  expect(checked.stdout).toBe('')
})

// Promise: A change makes the OpenAPI document untrue, or unreadable for a generator of clients
test('a client generated of the document calls every route, and gets what the document says', async () => {
  const called = [`${kopeck.origin}/api/v1`, kopeck.apiKey]
  const { stdout } = await run(process.execPath, ['program.ts', ...called], { cwd })

  const { unknown, refused, ...seen } = JSON.parse(stdout) as Record<string, unknown>
  const operations = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .map(({ operationId }) => operationId)
  expect(Object.keys(seen).sort()).toEqual(operations.sort())
  expect(seen).toEqual({
    createChatCompletion: expect.any(Number),
    listChatModels: 'alpha-large',
    createOpenAiChatCompletion: 'assistant',
    listOpenAiModels: 'list',
    getOpenAiModel: 'alpha-large',
    createVideo: expect.any(Number),
    createImage: expect.any(Number),
    createSound: expect.any(Number),
    getTask: 'waiting',
    listPrices: 5,
    getBalance: 'number',
    getKey: 'number',
    getCallbackSecret: 64,
  })
  expect([unknown, refused]).toEqual(['model_not_found', 'must not be empty'])
})
