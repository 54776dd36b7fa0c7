import { Type } from 'typebox'
import { vi } from 'vitest'
import type { AttemptRecord } from '../../../src/service/callback/callback-record.ts'
import { createEndpoint, IMAGEGEN } from '../../../src/service/generation/endpoints.ts'
import { findCallbackSecret } from '../../../src/service/ledger/accounts.ts'
import type { GenerationState } from '../../../src/service/providers/provider.ts'
import { PNG } from '../../media-files.ts'
import { CREATION_MS, DEADLINE_MS, openGenerationSetup } from '../generation/generation-setup.ts'
import { rowsOf } from '../rows.ts'

export const PRICE_MICRO_RUB = 1_000_000n
const DONE: GenerationState = {
  status: 'success',
  results: [{ type: 'bytes', bytes: PNG, contentType: 'image/png' }],
}
const PIXGEN = createEndpoint(
  { ...IMAGEGEN, schema: Type.Object({ prompt: Type.String() }), label: () => 'pixgen' },
  {
    pricesMicroRub: new Map([['pixgen', PRICE_MICRO_RUB]]),
    upstream: 'test',
    deadlineMs: DEADLINE_MS,
    creationMs: CREATION_MS,
    provider: { start: async () => ({ work: 'w1' }), check: async () => DONE },
  },
)

/** Names and their addresses; a name that is not there does not resolve. */
export type Names = Map<string, string[]>

export interface ProcessOptions {
  allow?: string[]
  names?: Names
  /** Callbacks are delivered by themselves after `callbacks.start()`, not by `deliver()`. */
  isAutomatic?: boolean
}

/** A database that processes of a test share, with one account. */
export async function openCallbackSetup() {
  const setup = await openGenerationSetup()
  const { url, database, close } = setup
  const accountId = await setup.addAccount(1000n * PRICE_MICRO_RUB)
  const secret = (await findCallbackSecret(database.pool, accountId)) ?? ''
  return { url, database, accountId, secret, addProcess, attempts, callback, shiftEnd, close }

  async function addProcess({
    allow = [],
    names = new Map(),
    isAutomatic = false,
  }: ProcessOptions = {}) {
    const outcomes: string[] = []
    const resolve = vi.fn(async (hostname: string) =>
      (names.get(hostname) ?? []).map((address) => ({ address })),
    )
    const { app, callbacks, generation, instance, log, visit, deliver } = await setup.addProcessOf(
      [PIXGEN],
      {
        callbacks: {
          allow: new Set(allow),
          resolve,
          isAutomatic,
          onAttempt: (outcome) => outcomes.push(outcome),
        },
      },
    )
    if (!isAutomatic) callbacks.start()
    await generation.start()
    return { instance, log, outcomes, resolve, callbacks, create, finish, createAndFinish, deliver }

    async function create(callbackUrl: string | undefined, headers = {}) {
      const response = await app.inject({
        method: 'POST',
        url: `/api/v1/${PIXGEN.path}`,
        headers: {
          authorization: `Bearer ${accountId}`,
          ...(callbackUrl !== undefined && { 'x-callback-url': callbackUrl }),
          ...headers,
        },
        payload: { prompt: 'a kopeck' },
      })
      return { status: response.statusCode, body: response.json() }
    }

    /** Drives the task to its end, which keeps its callback and delivers nothing yet. */
    async function finish(taskId: number): Promise<void> {
      await visit(taskId)
    }

    async function createAndFinish(callbackUrl: string): Promise<number> {
      const { body } = await create(callbackUrl)
      await finish(body.task_id)
      return body.task_id
    }
  }

  async function attempts(taskId: number) {
    const attempts: AttemptRecord[] = (await callback(taskId))?.attempts
    return attempts
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
}

export type CallbackSetup = Awaited<ReturnType<typeof openCallbackSetup>>
