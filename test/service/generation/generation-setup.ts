import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { vi } from 'vitest'
import type { VideoRequest } from '../../../src/contract/tasks.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import type { UrlGuard } from '../../../src/platform/http/url-guard.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { type CallbacksDeps, createCallbacks } from '../../../src/service/callback/callbacks.ts'
import { Unsettled } from '../../../src/service/chat/unsettled.ts'
import { createEndpoint, type Endpoint, VIDGEN } from '../../../src/service/generation/endpoints.ts'
import { createGeneration } from '../../../src/service/generation/generation.ts'
import { createStorage } from '../../../src/service/generation/storage.ts'
import { createHttp } from '../../../src/service/http/api.ts'
import { findAccount } from '../../../src/service/ledger/accounts.ts'
import { Ledger } from '../../../src/service/ledger/ledger.ts'
import type { Metrics } from '../../../src/service/metrics.ts'
import type {
  GenerationProvider,
  GenerationResult,
  GenerationState,
  ProviderOperation,
} from '../../../src/service/providers/provider.ts'
import { MP4 } from '../../media-files.ts'
import { openDueRows } from '../../platform/database/open-due-rows.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createVisitsByHand } from '../../platform/database/visits-by-hand.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'
import { letMinutesFly } from '../let-time-pass.ts'
import { closeProcesses, ID_KEYS } from '../open-processes.ts'
import { countOf, rowsOf } from '../rows.ts'
import { readRoomyDisk } from './small-disk.ts'

export const PRICE_MICRO_RUB = 40_000_000n
const RESULT_BYTES_MAX = 10 * 2 ** 20
export const DEADLINE_MS = 60 * 60_000
export const CREATION_MS = 120_000
/** 1080p is not on offer here. */
const PRICES_MICRO_RUB = new Map([
  ['vidgen-720p-5s', PRICE_MICRO_RUB],
  ['vidgen-720p-10s', 80_000_000n],
])
export const BODY: VideoRequest = { prompt: 'a kopeck rolling downhill', aspect_ratio: '1280:720' }
const CLIP: GenerationResult = {
  type: 'bytes',
  bytes: MP4,
  contentType: 'video/mp4',
}
export const DONE: GenerationState = { status: 'success', results: [CLIP] }

/** A link to the provider's own host that nothing answers. */
export const GONE = 'http://127.0.0.1:1/gone.mp4'

interface ProcessOptions {
  callbacks?: Partial<Pick<CallbacksDeps, 'allow' | 'resolve' | 'onAttempt'>> & {
    isAutomatic?: boolean
  }
  guard?: UrlGuard
  storageDir?: string
  clock?: Clock
  endingsClock?: Clock
  database?: Pick<Database, 'pool'>
  providerUrl?: string
  publicRoot?: () => string
}

/** A provider that goes on for ever until the test says otherwise. */
export function createFakeProvider() {
  return {
    start: vi.fn<GenerationProvider<VideoRequest>['start']>(
      async (): Promise<ProviderOperation> => ({ work: 'w1' }),
    ),
    check: vi.fn<GenerationProvider<VideoRequest>['check']>(
      async (): Promise<GenerationState> => ({ status: 'generating' }),
    ),
  }
}

/** A database and a folder for results that all processes of a test share. */
export async function openGenerationSetup() {
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  await letMinutesFly(database.pool)
  const mediaDir = await mkdtemp(join(tmpdir(), 'kopeck-media-'))
  const closers: (() => Promise<unknown>)[] = []
  return {
    url,
    database,
    mediaDir,
    addAccount,
    addProcess,
    addProcessOf,
    setAge,
    setVisited,
    balance,
    task,
    refunds,
    close,
  }

  async function addAccount(creditMicroRub = 1000n * PRICE_MICRO_RUB): Promise<number> {
    return await fundedAccount(database.pool, creditMicroRub)
  }

  /** One process of the service, that makes videos. Its API key is the account's id. */
  async function addProcess(
    provider: GenerationProvider<VideoRequest> = createFakeProvider(),
    options: ProcessOptions = {},
  ) {
    const { providerUrl = GONE } = options
    const offer = {
      pricesMicroRub: PRICES_MICRO_RUB,
      providerUrl,
      upstream: 'fake',
      deadlineMs: DEADLINE_MS,
      creationMs: CREATION_MS,
    }
    return await addProcessOf([createEndpoint(VIDGEN, { ...offer, provider })], options)
  }

  async function addProcessOf(
    endpoints: readonly Endpoint[],
    {
      callbacks: { isAutomatic = false, ...callbackOptions } = {},
      guard = { allow: new Set() },
      storageDir = mediaDir,
      clock = systemClock,
      endingsClock = systemClock,
      database: own = database,
      publicRoot = () => 'http://kopeck.test',
    }: Omit<ProcessOptions, 'providerUrl'> = {},
  ) {
    const { pool } = own
    const instance = await registerInstance({ url, onError: () => {} })
    const { dueRows, visit, visitAll } = createVisitsByHand({
      pool: database.pool,
      leaseOwner: instance.id,
    })
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const notifications = instance.session
    const callbacks = createCallbacks({
      database: own,
      instance,
      dueRows: isAutomatic
        ? openDueRows({ pool: own.pool, instance, notifications, log })
        : dueRows,
      allow: new Set(),
      log,
      ...callbackOptions,
    })
    const onStorageRefused = vi.fn<(code: string) => void>()
    const onProviderFailed = vi.fn<Metrics['providerFailed']>()
    const onTrouble = vi.fn<() => void>()
    const unsettled = new Unsettled(new Ledger(pool), endingsClock)
    const generation = createGeneration({
      database: own,
      instance,
      dueRows,
      callbacks,
      publicRoot,
      log,
      endpoints: new Map(endpoints.map((endpoint) => [endpoint.path, endpoint])),
      storage: createStorage({
        mediaDir: storageDir,
        guard,
        readDisk: readRoomyDisk,
        resultBytesMax: RESULT_BYTES_MAX,
      }),
      metrics: { storageRefused: onStorageRefused, providerFailed: onProviderFailed },
      onTrouble,
      clock,
    })
    const app = Fastify()
    await app.register(
      createHttp({
        pool,
        keys: ID_KEYS,
        completions: { run: () => Promise.reject(new Error('There are no chats')) },
        callbacks,
        metrics: { requestEnded() {}, streamOpened: () => () => {} },
        offers: {
          models: () => new Map(),
          endpoints: () => endpoints,
          findOffered: (path) => endpoints.find((endpoint) => endpoint.path === path),
        },
        findShortage: async () => undefined,
        unsettled,
        instance,
        clock,
        publicRoot,
        mediaDir,
      }),
    )
    closers.push(
      () => callbacks.stop(0),
      () => generation.stop(0),
      () => unsettled.settle(0),
      () => app.close(),
      () => instance.release(),
    )
    return {
      instance,
      log,
      callbacks,
      generation,
      app,
      create,
      read,
      onStorageRefused,
      onProviderFailed,
      onTrouble,
      visit: (taskId: number) => visit('service.task', taskId),
      /** Makes the attempt that is due, and returns in how many milliseconds the next one is. */
      deliver: (taskId: number) => visit('service.callback', taskId),
      visitAll: () => visitAll('service.task'),
    }

    async function create(accountId: number, body: object = BODY, headers = {}) {
      const response = await app.inject({
        method: 'POST',
        url: '/api/v1/videos/vidgen-generate',
        headers: { authorization: `Bearer ${accountId}`, ...headers },
        payload: body,
      })
      return { status: response.statusCode, body: response.json() }
    }

    /** The last poll was long ago. */
    async function read(accountId: number, taskId: number | string) {
      await database.pool.query('UPDATE service.task SET polled_at = NULL WHERE account_id = $1', [
        accountId,
      ])
      const response = await app.inject({
        url: `/api/v1/task/${taskId}`,
        headers: { authorization: `Bearer ${accountId}` },
      })
      return { status: response.statusCode, body: response.json() }
    }
  }

  async function setVisited(taskId: number, agoMs: number): Promise<void> {
    await database.pool.query(
      `UPDATE service.task SET first_visit_at = now() - $2 * interval '1 ms' WHERE id = $1`,
      [taskId, agoMs],
    )
  }

  async function setAge(taskId: number, ageMs: number): Promise<void> {
    await database.pool.query(
      `UPDATE service.task SET created_at = now() - $2 * interval '1 ms' WHERE id = $1`,
      [taskId, ageMs],
    )
  }

  async function balance(accountId: number): Promise<bigint | undefined> {
    return (await findAccount(database.pool, accountId))?.balanceMicroRub
  }

  async function task(id: number) {
    const [row] = await rowsOf(database.pool, 'task', 'WHERE id = $1', [id])
    if (row === undefined) throw new Error(`There is no task ${id}`)
    return row
  }

  async function refunds(taskId: number): Promise<number> {
    return await countOf(database.pool, 'task', `WHERE id = $1 AND status = 'fail'`, [taskId])
  }

  async function close(): Promise<void> {
    await closeProcesses(closers, { database, mediaDir })
  }
}

export type GenerationSetup = Awaited<ReturnType<typeof openGenerationSetup>>
