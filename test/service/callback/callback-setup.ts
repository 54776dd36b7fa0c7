import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { vi } from 'vitest'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { createNotifications } from '../../../src/platform/database/instance/notifications.ts'
import { createCallbacks } from '../../../src/service/callback/callbacks.ts'
import { createEndpoint } from '../../../src/service/generation/endpoint.ts'
import { VIDGEN } from '../../../src/service/generation/endpoints.ts'
import { createGeneration } from '../../../src/service/generation/generation.ts'
import { createApi } from '../../../src/service/http/api.ts'
import { createTaskRoute } from '../../../src/service/http/routes/create-task.ts'
import { findCallbackSecret } from '../../../src/service/ledger/accounts.ts'
import type { GenerationState } from '../../../src/service/providers/provider.ts'
import { createStorage } from '../../../src/service/storage/storage.ts'
import { MP4, PNG } from '../../media-files.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { openDueRows } from '../../platform/jobs/open-due-rows.ts'
import { createVisitsByHand } from '../../platform/jobs/visits-by-hand.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'
import { letMinutesFly } from '../let-time-pass.ts'
import { closeProcesses, ID_KEYS } from '../open-processes.ts'
import { rowsOf } from '../rows.ts'
import { ROOMY } from '../storage/roomy.ts'

export const PRICE_MICRO_RUB = 1_000_000n
const OFFER = { deadlineMs: 3_600_000, creationMs: 120_000, upstream: 'test' }
const DONE: GenerationState = {
  status: 'success',
  results: [{ type: 'bytes', bytes: PNG, contentType: 'image/png' }],
}
const CLIP_DONE: GenerationState = {
  status: 'success',
  results: [{ type: 'bytes', bytes: MP4, contentType: 'video/mp4' }],
}
const PIXGEN = {
  path: 'images/pixgen-generate',
  schema: Type.Object({ prompt: Type.String() }),
  label: () => 'pixgen',
  media: 'image',
} as const
export const FAILED: GenerationState = { status: 'fail', code: 451, message: 'Нельзя. 🪙' }

/** Names and their addresses; a name that is not there does not resolve. */
export type Names = Map<string, string[]>

export interface ProcessOptions {
  allow?: string[]
  names?: Names
  timeouts?: { connectMs: number; readMs: number }
  /** Callbacks are delivered by themselves after `callbacks.start()`, not by `deliver()`. */
  isAutomatic?: boolean
}

/** A database that processes of a test share, with one account. */
export async function openCallbackSetup() {
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  await letMinutesFly(database.pool)
  const mediaDir = await mkdtemp(join(tmpdir(), 'kopeck-media-'))
  const creditMicroRub = 1000n * PRICE_MICRO_RUB
  const accountId = await fundedAccount(database.pool, creditMicroRub)
  const secret = (await findCallbackSecret(database.pool, accountId)) ?? ''
  const closers: (() => Promise<unknown>)[] = []
  return {
    url,
    database,
    accountId,
    secret,
    addProcess,
    attempts,
    callback,
    shiftEnd,
    close,
  }

  async function addProcess({
    allow = [],
    names = new Map(),
    timeouts = { connectMs: 5000, readMs: 10_000 },
    isAutomatic = false,
  }: ProcessOptions = {}) {
    const instance = await registerInstance({ url, onError: () => {} })
    const { pool } = database
    const { dueRows, visit } = createVisitsByHand({ pool, leaseOwner: instance.id })
    const notifications = createNotifications(instance.session)
    const outcomes: string[] = []
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const resolve = vi.fn(async (hostname: string) =>
      (names.get(hostname) ?? []).map((address) => ({ address })),
    )
    const provider = {
      start: async () => ({ work: 'w1' }),
      check: vi.fn(async (): Promise<GenerationState> => DONE),
    }
    const callbacks = createCallbacks({
      database,
      instance,
      dueRows: isAutomatic ? openDueRows({ pool, instance, notifications, log }) : dueRows,
      allow: new Set(allow),
      log,
      resolve,
      timeouts,
      onAttempt: (outcome) => outcomes.push(outcome),
    })
    if (!isAutomatic) callbacks.start()
    const endpoints = [
      createEndpoint(PIXGEN, {
        pricesMicroRub: new Map([['pixgen', PRICE_MICRO_RUB]]),
        ...OFFER,
        provider,
      }),
      createEndpoint(VIDGEN, {
        pricesMicroRub: new Map([['vidgen-720p-5s', PRICE_MICRO_RUB]]),
        ...OFFER,
        provider: { ...provider, check: async () => CLIP_DONE },
      }),
    ]
    const generation = createGeneration({
      database,
      instance,
      dueRows,
      callbacks,
      log,
      endpoints: new Map(endpoints.map((endpoint) => [endpoint.path, endpoint])),
      storage: createStorage({
        mediaDir,
        guard: { allow: new Set() },
        room: ROOMY,
      }),
      publicRoot: () => 'https://kopeck.example.com/',
    })
    await generation.start()
    const app = Fastify()
    await app.register(
      createApi({
        keys: ID_KEYS,
        routes: endpoints.map((endpoint) =>
          createTaskRoute(endpoint, {
            sql: pool,
            callbacks,
            findOffered: () => endpoint,
            findRefusal: async () => undefined,
            withdraw: async () => {},
          }),
        ),
      }),
    )
    closers.push(
      () => callbacks.stop(0),
      () => generation.stop(0),
      () => app.close(),
      () => instance.release(),
    )
    return {
      instance,
      log,
      outcomes,
      resolve,
      provider,
      callbacks,
      create,
      finish,
      createAndFinish,
      deliver,
    }

    async function create(
      callbackUrl: string | undefined,
      { path = 'images/pixgen-generate', payer = accountId, headers = {} } = {},
    ) {
      const response = await app.inject({
        method: 'POST',
        url: `/api/v1/${path}`,
        headers: {
          authorization: `Bearer ${payer}`,
          ...(callbackUrl !== undefined && { 'x-callback-url': callbackUrl }),
          ...headers,
        },
        payload: { prompt: 'a kopeck', aspect_ratio: '1280:720' },
      })
      return { status: response.statusCode, body: response.json() }
    }

    /** Drives the task to its end, which keeps its callback and delivers nothing yet. */
    async function finish(taskId: number): Promise<void> {
      await visit('service.task', taskId)
    }

    /** Makes the attempt that is due, and says in how many milliseconds the next one is. */
    async function deliver(taskId: number): Promise<number | undefined> {
      return await visit('service.callback', taskId)
    }

    async function createAndFinish(callbackUrl: string): Promise<number> {
      const { body } = await create(callbackUrl)
      await finish(body.task_id)
      return body.task_id
    }
  }

  async function attempts(taskId: number) {
    const rest = 'WHERE task_id = $1 ORDER BY number'
    return await rowsOf(database.pool, 'callback_attempt', rest, [taskId])
  }

  async function callback(taskId: number) {
    return (await rowsOf(database.pool, 'callback', 'WHERE task_id = $1', [taskId]))[0]
  }

  /** Moves the task's end, from which attempts are timed: in this test it ended so long ago. */
  async function shiftEnd(taskId: number, { agoMs }: { agoMs: number }): Promise<void> {
    await database.pool.query(
      `WITH before AS (SELECT id, ended_at FROM service.task WHERE id = $1), task AS (
         UPDATE service.task SET ended_at = now() - $2 * interval '1 ms' FROM before
         WHERE task.id = before.id RETURNING task.id, before.ended_at - task.ended_at AS shift)
       UPDATE service.callback SET due_at = due_at - shift FROM task WHERE task_id = task.id`,
      [taskId, agoMs],
    )
  }

  async function close(): Promise<void> {
    await closeProcesses(closers, { database, mediaDir })
  }
}

export type CallbackSetup = Awaited<ReturnType<typeof openCallbackSetup>>
