import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { readImageSize } from '../../../src/platform/http/media-type.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import {
  createEndpoint,
  createEndpoints,
  IMAGEGEN,
} from '../../../src/service/generation/endpoints.ts'
import { createRelayProvider } from '../../../src/service/providers/relay.ts'
import {
  CREATION_MS,
  DEADLINE_MS,
  type GenerationSetup,
  openGenerationSetup,
} from './generation-setup.ts'

const CREDIT_MICRO_RUB = 100_000_000n

let setup: GenerationSetup

beforeEach(async () => {
  setup = await openGenerationSetup()
})

afterEach(() => setup.close())

async function startRemote() {
  const remote = await openGenerationSetup()
  onTestFinished(remote.close)
  let origin = ''
  const endpoints = createEndpoints(builtInServiceConfig())
  const service = await remote.addProcessOf(endpoints, { publicRoot: () => origin })
  await service.generation.start()
  origin = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const accountId = await remote.addAccount(CREDIT_MICRO_RUB)
  return {
    baseUrl: `${origin}/api/v1`,
    apiKey: `${accountId}`,
    makeResult: service.visitAll,
    spentMicroRub: async () => CREDIT_MICRO_RUB - ((await remote.balance(accountId)) ?? 0n),
  }
}

async function startFront({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const service = await setup.addProcessOf([
    createEndpoint(IMAGEGEN, {
      pricesMicroRub: new Map([['imagegen', 7_000_000n]]),
      deadlineMs: DEADLINE_MS,
      creationMs: CREATION_MS,
      upstream: 'relay',
      provider: createRelayProvider({ baseUrl, apiKey }, 'images/imagegen-generate'),
      providerUrl: baseUrl,
    }),
  ])
  await service.generation.start()
  const accountId = await setup.addAccount(7_000_000n)
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/images/imagegen-generate',
    headers: { authorization: `Bearer ${accountId}` },
    payload: { prompt: 'a fox', aspect_ratio: '16:9' },
  })
  const taskId: number = response.json().task_id
  return { ...service, accountId, taskId, visit: () => service.visit(taskId) }
}

test('a task is done by another service of this kind, and its file kept here', async () => {
  const remote = await startRemote()
  const front = await startFront(remote)

  await front.visit()
  await remote.makeResult()
  await front.visit()

  const { body: task } = await front.read(front.accountId, front.taskId)
  expect(task.status).toBe('success')
  const file = await front.app.inject({ url: new URL(task.result_urls[0]).pathname })
  expect(readImageSize(file.rawPayload)).toEqual({ width: 1280, height: 720 })
  expect(await remote.spentMicroRub()).toBe(5_000_000n)
})
