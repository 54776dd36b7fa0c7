import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { createEndpoint, IMAGEGEN } from '../../../src/service/generation/endpoints.ts'
import { createOpenAiImageProvider } from '../../../src/service/providers/openai/media.ts'
import { type CuttableProxy, openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { sendJson, startServer } from '../../platform/http/local-server.ts'
import { untilSomebodyWaits } from '../ledger/ledger-fixture.ts'
import { rowsOf } from '../rows.ts'
import {
  CREATION_MS,
  createFakeProvider,
  DEADLINE_MS,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from './generation-setup.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1').toString('base64')
const PICTURE_MICRO_RUB = 5_000_000n

let setup: GenerationSetup
let proxy: CuttableProxy
let accountId: number

beforeEach(async () => {
  setup = await openGenerationSetup()
  proxy = await openCuttableProxy(Number(new URL(setup.url).port))
  accountId = await setup.addAccount(100_000_000n)
})

afterEach(() => setup.close())

type Process = Awaited<ReturnType<GenerationSetup['addProcessOf']>>

function throughProxy(onWait: (signal?: AbortSignal) => void | Promise<void> = proxy.mend) {
  const url = new URL(setup.url)
  url.host = `127.0.0.1:${proxy.port}`
  const database = openTestDatabase({ url: url.href, onIdleError: () => {} })
  onTestFinished(database.close)
  return {
    database,
    clock: { ...systemClock, sleep: async (_: number, signal?: AbortSignal) => onWait(signal) },
  }
}

async function startPictures() {
  return await startServer((response) => {
    proxy.cut()
    sendJson(response, 200, { data: [{ b64_json: PNG }] })
  })
}

async function addPictureProcess(
  { baseUrl }: { baseUrl: string },
  options: Parameters<GenerationSetup['addProcessOf']>[1],
): Promise<Process> {
  const provider = createOpenAiImageProvider({ baseUrl, apiKey: 'sk-1' }, 'm')
  const process = await setup.addProcessOf(
    [
      createEndpoint(IMAGEGEN, {
        provider,
        upstream: 'pictures',
        providerUrl: baseUrl,
        pricesMicroRub: new Map([['imagegen', PICTURE_MICRO_RUB]]),
        deadlineMs: DEADLINE_MS,
        creationMs: CREATION_MS,
      }),
    ],
    options,
  )
  await process.generation.start()
  return process
}

async function orderPicture({ app }: Process): Promise<number> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/images/imagegen-generate',
    headers: { authorization: `Bearer ${accountId}` },
    payload: { prompt: 'a fox' },
  })
  return response.json().task_id
}

async function expectPicture(taskId: number) {
  const task = await setup.task(taskId)
  expect(task).toMatchObject({ status: 'success', errorMessage: null, leaseOwner: null })
  expect(await readdir(setup.mediaDir)).toEqual(task.files)
  expect(await setup.refunds(taskId)).toBe(0)
  expect(await setup.balance(accountId)).toBe(100_000_000n - PICTURE_MICRO_RUB)
}

test('a picture that was made while the database was away is stored once it is back', async () => {
  const pictures = await startPictures()
  const service = await addPictureProcess(pictures, throughProxy())
  const taskId = await orderPicture(service)

  await service.visit(taskId)
  proxy.mend()
  await service.visit(taskId)

  expect(pictures.requests).toHaveLength(1)
  await expectPicture(taskId)
})

test('a failure that could not be stored for a moment is stored, and refunded once', async () => {
  const provider = createFakeProvider()
  provider.check.mockImplementationOnce(async () => {
    proxy.cut()
    return { status: 'fail', code: 451, message: 'Filtered.' }
  })
  const service = await setup.addProcess(provider, throughProxy())
  await service.generation.start()
  const taskId: number = (await service.create(accountId)).body.task_id

  await service.visit(taskId)

  expect(await setup.task(taskId)).toMatchObject({ status: 'fail', errorCode: 451 })
  expect(await setup.refunds(taskId)).toBe(1)
  expect(provider.check).toHaveBeenCalledOnce()
})

async function countTasks() {
  const tasks = await rowsOf(setup.database.pool, 'task', 'ORDER BY id')
  return { taskIds: tasks.map(({ id }) => id), statuses: tasks.map(({ status }) => status) }
}

/** Stops the next creation at its COMMIT. @returns A function that lets it be done, and its answer be lost. */
async function holdCommit(): Promise<() => Promise<void>> {
  const { pool } = setup.database
  await pool.query(`
    CREATE FUNCTION service.wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER wait_at_commit AFTER INSERT ON service.task DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION service.wait_at_commit()`)
  const gate = await pool.connect()
  await gate.query('SELECT pg_advisory_lock(7)')
  return async () => {
    await untilSomebodyWaits(pool)
    proxy.swallowAnswers()
    await gate.query('SELECT pg_advisory_unlock(7)')
    gate.release()
    await vi.waitFor(async () => expect((await countTasks()).taskIds).toHaveLength(1))
    await pool.query('DROP FUNCTION service.wait_at_commit() CASCADE')
  }
}

test('a creation whose charge was stored and whose answer was lost is answered with its task, charged once', async () => {
  const { database, clock } = throughProxy()
  const service = await setup.addProcess(createFakeProvider(), { database, clock })
  await database.pool.query('SELECT')
  const loseAnswer = await holdCommit()

  const creating = service.create(accountId)
  await loseAnswer()
  database.suspend()
  database.resume()
  const { status, body } = await creating

  expect(status).toBe(200)
  expect((await countTasks()).taskIds).toEqual([body.task_id])
  expect(await setup.balance(accountId)).toBe(100_000_000n - PRICE_MICRO_RUB)
})

test.each([
  ['was stored', true],
  ['may still be on its way', false],
])('a creation that is answered 503 costs nothing, where its charge %s', async (_, isStored) => {
  let nowMs = 0
  const { database } = throughProxy()
  const sleep = async (ms: number) => {
    nowMs += ms
  }
  const clock = { ...systemClock, now: () => nowMs, sleep }
  // The database is away until the refusal waits for it.
  const endingsClock = { ...systemClock, sleep: async () => proxy.mend() }
  const processOptions = { database, clock, endingsClock }
  const service = await setup.addProcess(createFakeProvider(), processOptions)
  await database.pool.query('SELECT')
  const loseAnswer = isStored ? await holdCommit() : async () => {}
  if (!isStored) proxy.swallow()

  const creating = service.create(accountId)
  await vi.waitFor(() => expect(database.pool.totalCount - database.pool.idleCount).toBe(1))
  await loseAnswer()
  proxy.cut()

  expect(await creating).toMatchObject({ status: 503 })
  expect((await countTasks()).statuses).toEqual(['fail'])
  expect(await setup.balance(accountId)).toBe(100_000_000n)
})
