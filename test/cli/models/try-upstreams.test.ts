import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  tryUpstreams,
  writeTrials,
  writeTrialsJson,
} from '../../../src/cli/models/try-upstreams.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'

const MODEL = {
  ...{ id: 'alpha', family: 'A', context_tokens: 1000 },
  ...{ prompt_rub_per_1m: '150', completion_rub_per_1m: '600' },
}

test('each upstream of each model is asked by itself, and its answer or its refusal is shown', async () => {
  const refusing = await serve(401, { error: { message: 'Bad key sk-hunter2' } })
  const config = {
    ...builtInServiceConfig(),
    chat: {
      models: [
        {
          ...MODEL,
          upstreams: [
            ...[{ type: 'openai', base_url: refusing, model: 'm', api_key_env: 'KEY' } as const],
            ...[{ type: 'demo' } as const],
          ],
        },
        { ...MODEL, id: 'beta', provider: { type: 'demo' } as const },
      ],
    },
    keys: new Map([['KEY', 'sk-hunter2']]),
  }
  const said: string[] = []

  const trials = await tryUpstreams(config, {}, (sentence) => said.push(sentence))

  const { host } = new URL(refusing)
  expect(said).toEqual([
    `Asking ${host} for one token of alpha …`,
    'Asking demo for one token of alpha …',
    'Asking demo for one token of beta …',
  ])
  expect(writeTrials(trials).split('\n').slice(1)).toEqual([
    expect.stringMatching(`^alpha +${host} +does not answer: 401 Bad key \\[hidden\\]$`),
    expect.stringMatching(/^alpha +demo +answers, ₽0\.\d+$/),
    expect.stringMatching(/^beta +demo +answers, ₽0\.\d+$/),
  ])
  expect(JSON.parse(writeTrialsJson(trials)).trials).toEqual([
    { model: 'alpha', upstream: host, answers: false, said: '401 Bad key [hidden]' },
    { model: 'alpha', upstream: 'demo', answers: true, cost_rub: expect.any(String) },
    { model: 'beta', upstream: 'demo', answers: true, cost_rub: expect.any(String) },
  ])
})

async function serve(status: number, body: object): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
