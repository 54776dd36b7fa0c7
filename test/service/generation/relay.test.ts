import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { createNotifications } from '../../../src/platform/database/instance/notifications.ts'
import { readImageSize } from '../../../src/platform/http/media-type.ts'
import { Unsettled } from '../../../src/service/chat/unsettled.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createEndpoint } from '../../../src/service/generation/endpoint.ts'
import { IMAGEGEN } from '../../../src/service/generation/endpoints.ts'
import { createRelayProvider } from '../../../src/service/providers/relay.ts'
import { createService } from '../../../src/service/service.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { openDueRows } from '../../platform/jobs/open-due-rows.ts'
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
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  const instance = await registerInstance({ url, onError: () => {} })
  const mediaDir = await mkdtemp(join(tmpdir(), 'kopeck-remote-'))
  const taskDone = Promise.withResolvers<void>()
  const log = pino({}, { write: (line) => line.includes('task succeeded') && taskDone.resolve() })
  const notifications = createNotifications(instance.session)
  const app = Fastify()
  let origin = ''
  const service = createService({
    database,
    instance,
    unsettled: new Unsettled(),
    dueRows: openDueRows({ pool: database.pool, instance, notifications, log }),
    sweep: { add: async () => {} },
    config: builtInServiceConfig(),
    mediaDir,
    publicRoot: () => origin,
    callbackAllow: new Set(),
    resultAllow: new Set(),
    log,
  })
  await app.register(service.plugin)
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  await service.start()
  onTestFinished(async () => {
    await service.stop(1000)
    await app.close()
    await instance.release()
    await database.close()
    await rm(mediaDir, { recursive: true })
  })
  const account = await service.ensureAccount({ name: 'relay', creditMicroRub: CREDIT_MICRO_RUB })
  return {
    baseUrl: `${origin}/api/v1`,
    apiKey: account.apiKey,
    taskDone: taskDone.promise,
    async spentMicroRub() {
      const { rows } = await database.pool.query<{ balance: string }>(
        'SELECT balance_micro_rub::text AS balance FROM service.account WHERE id = $1',
        [account.accountId],
      )
      return CREDIT_MICRO_RUB - BigInt(rows[0]?.balance ?? 0)
    },
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
  await remote.taskDone
  await front.visit()

  const { body: task } = await front.read(front.accountId, front.taskId)
  expect(task.status).toBe('success')
  const file = await front.app.inject({ url: new URL(task.result_urls[0]).pathname })
  expect(readImageSize(file.rawPayload)).toEqual({ width: 1280, height: 720 })
  expect(await remote.spentMicroRub()).toBe(5_000_000n)
})

test('a creation that was cut off is found again, and paid once', async () => {
  const remote = await startRemote()
  const front = await startFront(remote)
  await front.visit()
  // What a process leaves that died between the answer and the write.
  await setup.database.pool.query(
    `UPDATE service.task SET operation = operation - 'taskId' || '{"phase": "sent"}' WHERE id = $1`,
    [front.taskId],
  )

  await front.visit()
  await remote.taskDone
  await front.visit()

  expect(await setup.task(front.taskId)).toMatchObject({ status: 'success' })
  expect(await remote.spentMicroRub()).toBe(5_000_000n)
})
