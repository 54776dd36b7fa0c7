import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createModelsProgram, tryUpstreams } from '../../src/cli/models.ts'
import { OPENAI, startUpstream } from '../service/config/openai/upstreams.ts'
import { makeFolder } from '../support/make-folder.ts'

const REFUSALS = [
  "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
  'Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.',
]

test('a model is asked for one token, and its price is that of the usage', async () => {
  const upstream = await serve([{ usage: { prompt_tokens: 8, completion_tokens: 1 } }])

  const said = 'answers: 8 tokens in and 1 out cost ₽0.001'
  expect(await tryModel(upstream.baseUrl)).toMatchObject({ answers: true, said })
  expect(upstream.limits()).toEqual([1])
})

test.each(REFUSALS)(
  'a model that refuses so short an answer is given more: %s',
  async (message) => {
    const refusal = { status: 400, body: { error: { message, type: 'invalid_request_error' } } }
    const upstream = await serve([refusal, { usage: { prompt_tokens: 8, completion_tokens: 60 } }])

    expect(await tryModel(upstream.baseUrl)).toMatchObject({ costMicroRub: 12_800n })
    expect(upstream.limits()).toEqual([1, 1024])
  },
)

test('an upstream that reports no usage is named', async () => {
  const upstream = await serve([{ usage: undefined }])

  const said = 'answers, but reports no tokens'
  expect(await tryModel(upstream.baseUrl)).toMatchObject({ answers: true, said })
})

test('an upstream that does not answer says why, is asked once, and its words have no key in them', async () => {
  const body = { error: { message: 'No money on sk-one', code: 'insufficient_quota' } }
  const upstream = await serve([{ status: 402, body }])

  const said = 'does not answer: 402 insufficient_quota: No money on [hidden]'
  expect(await tryModel(upstream.baseUrl)).toMatchObject({ answers: false, said })
  expect(upstream.limits()).toEqual([1])
})

test('--try asks each upstream of each model and shows its answer or its refusal; exit status 1', async () => {
  const { baseUrl } = await serve(
    Array(2).fill({ status: 401, body: { error: { message: 'Bad key sk-hunter2' } } }),
  )
  const prices = { prompt_rub_per_1m: '150', completion_rub_per_1m: '600' }
  const model = { family: 'A', context_tokens: 1000, ...prices }
  const refusing = { type: 'openai', base_url: baseUrl, model: 'm', api_key_env: 'KEY' }
  const demo = { type: 'demo' }
  const models = [
    { ...model, id: 'alpha', upstreams: [refusing, demo] },
    { ...model, id: 'beta', provider: demo },
  ]
  const env = { SERVICE_CONFIG: await writeConfig({ chat: { models } }), KEY: 'sk-hunter2' }

  const table = await runModels(env, '--try')
  const { trials } = JSON.parse(await runModels(env, '--try', '--json'))

  const { host } = new URL(baseUrl)
  expect(table.split('\n').slice(1)).toEqual([
    expect.stringMatching(`^alpha +${host} +does not answer: 401 Bad key \\[hidden\\]$`),
    expect.stringMatching(/^alpha +demo +answers: \d+ tokens in and \d+ out cost ₽0\.\d+$/),
    expect.stringMatching(/^beta +demo +answers: \d+ tokens in and \d+ out cost ₽0\.\d+$/),
  ])
  expect(trials).toMatchObject([
    {
      model: 'alpha',
      upstream: host,
      answers: false,
      said: 'does not answer: 401 Bad key [hidden]',
    },
    { model: 'alpha', upstream: 'demo', answers: true, cost_rub: expect.any(Number) },
    { model: 'beta', upstream: 'demo', answers: true, cost_rub: expect.any(Number) },
  ])
})

test('the models of a SERVICE_CONFIG are listed with their prices; --write never replaces a file', async () => {
  const prices = { prompt_rub_per_1m: '150', completion_rub_per_1m: '600' }
  const model = { id: 'alpha', family: 'A', context_tokens: 1000, ...prices }
  const path = await writeConfig({ chat: { models: [{ ...model, provider: { type: 'demo' } }] } })

  const table = await runModels({ SERVICE_CONFIG: path })
  const { models } = JSON.parse(await runModels({ SERVICE_CONFIG: path }, '--json'))

  expect(table.split('\n')).toEqual([
    expect.stringMatching(/^model +context +₽ in \/ 1M +₽ out \/ 1M +price from$/),
    expect.stringMatching(/^alpha +1000 +150 +600 +.*\.json$/),
  ])
  expect(models).toMatchObject([
    { id: 'alpha', context_tokens: 1000, prompt_rub_per_1m: 150, price_from: path },
  ])
  await using upstream = await startUpstream(OPENAI)
  const env = { OPENAI_API_KEY: 'sk-proj-local', OPENAI_BASE_URL: upstream.baseUrl }
  const written = `${path}.new`
  expect(await runModels(env, '--write', written)).toContain(`Wrote ${written}`)
  expect(JSON.parse(await readFile(written, 'utf8')).chat.models.length).toBeGreaterThan(0)
  await expect(runModels(env, '--write', written)).rejects.toThrow('is there already')
})

async function runModels(env: Record<string, string>, ...args: string[]): Promise<string> {
  onTestFinished(() => {
    process.exitCode = undefined
  })
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const program = createModelsProgram({ use: 'kopeck models', env, print })
  await program.parseAsync(args, { from: 'user' })
  if (args.includes('--try')) expect(process.exitCode).toBe(1)
  return printed.join('\n')
}

async function writeConfig(config: object): Promise<string> {
  const folder = await makeFolder()
  await writeFile(join(folder, 'service.json'), JSON.stringify(config))
  return join(folder, 'service.json')
}

async function tryModel(base_url: string) {
  const prices = { prompt_rub_per_1m: '100', completion_rub_per_1m: '200' }
  const provider = { type: 'openai', base_url, api_key_env: 'KEY', model: 'one' } as const
  const model = { id: 'one', family: 'A', context_tokens: 4096, ...prices, provider }
  const keys = new Map([['KEY', 'sk-one']])
  const offer = { chat: { models: [model] }, generation: {}, keys }
  const [trial] = await tryUpstreams(offer, { proxies: undefined, report: () => {} })
  return trial
}

async function serve(answers: { status?: number; body?: object; usage?: object | undefined }[]) {
  const limits: unknown[] = []
  const left = [...answers]
  const server = createServer(async (incoming, response) => {
    const { max_tokens } = (await json(incoming)) as { max_tokens: unknown }
    limits.push(max_tokens)
    const answer = left.shift()
    if (answer === undefined) return
    if (answer.body !== undefined) {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'length' }]
    response.write(`data: ${JSON.stringify({ choices })}\n\n`)
    if (answer.usage) response.write(`data: ${JSON.stringify({ choices: [], ...answer })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, limits: () => limits }
}
