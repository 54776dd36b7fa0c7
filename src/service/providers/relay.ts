import { type Static, Type } from 'typebox'
import { Task, TaskCreated } from '../../contract/tasks.ts'
import { createGuard } from '../../platform/guard.ts'
import type { Answer, Exchange } from '../../platform/http/exchange.ts'
import { isJsonObject } from '../../platform/http/json.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { judgeStatus, type Verdict } from './judge-status.ts'
import type { GenerationProvider, GenerationState, GenerationStep } from './provider.ts'
import { createProviderHttp, type ProviderAccess, readJson } from './provider-http.ts'
import {
  CUT_OFF,
  DAMAGED,
  readPoll,
  SubmissionPhase,
  submit,
  toFailure,
  toUnnamed,
  toUnspeakable,
} from './submission.ts'

/** The other service refuses to show a task more often. */
const POLL_INTERVAL_MS = 3000
const CODE_UNKNOWN = 502

const RelayOperation = Type.Object({
  phase: SubmissionPhase,
  key: Type.String(),
  body: Type.Record(Type.String(), Type.Unknown()),
  taskId: Type.Optional(Type.Integer()),
})
const isRelayOperation = createGuard(RelayOperation)
type RelayOperation = Static<typeof RelayOperation>

const isCreated = createGuard(TaskCreated)
const isTask = createGuard(Task)

/** The root of the API ends in `/api/v1`. */
export interface RelayOptions extends ProviderAccess {
  path: string
  clock?: Pick<Clock, 'now'>
}

/**
 * Has the work done by another service with this same interface: creates a task there and polls it.
 *
 * A creation whose answer was lost is sent again, with the same `Idempotency-Key`, only to a service that
 * says it honours keys. At any other it is given up at once: the work may have begun, and be charged to us.
 */
export function createRelayProvider({
  baseUrl,
  apiKey,
  proxies,
  path,
  clock = systemClock,
}: RelayOptions): GenerationProvider<object> {
  const send = createProviderHttp({ baseUrl, apiKey, proxies }, { accept: 'application/json' })
  const polledAt = new Map<number, number>()
  return { start, check }

  async function start(params: object, key: string): Promise<RelayOperation> {
    return { phase: 'unsent', key, body: { ...params } }
  }

  async function check(stored: unknown, step: GenerationStep): Promise<GenerationState> {
    if (!isRelayOperation(stored)) return DAMAGED
    switch (stored.phase) {
      case 'unsent':
        return await create(stored, step)
      case 'sent':
        return await createAgain(stored, step)
      case 'begun':
        return stored.taskId === undefined ? DAMAGED : await poll(stored.taskId, step.signal)
    }
  }

  async function create(operation: RelayOperation, step: GenerationStep): Promise<GenerationState> {
    const { key, body } = operation
    const unspeakable = toUnspeakable({ apiKey }, body.prompt, body.image_url)
    const submission = await submit(operation, {
      step,
      judge,
      unspeakable,
      canAskAgain: true,
      send: () =>
        send({
          method: 'POST',
          path,
          headers: { 'idempotency-key': key },
          body,
          signal: step.signal,
        }),
    })
    if ('state' in submission) return submission.state
    const created = readJson(submission.answer)
    if (!isCreated(created)) return toUnnamed(submission.answer, unspeakable)
    await step.save({ ...operation, phase: 'begun', taskId: created.task_id })
    return { status: 'generating', checkAfterMs: POLL_INTERVAL_MS }
  }

  async function createAgain(
    operation: RelayOperation,
    step: GenerationStep,
  ): Promise<GenerationState> {
    const balance = await get('balance', step.signal)
    if (balance.outcome !== 'answered' || balance.status !== 200) {
      return { status: 'unbegun', failure: toFailure(balance, toUnspeakable({ apiKey })) }
    }
    return honoursKeys(balance) ? await create(operation, step) : CUT_OFF
  }

  async function poll(taskId: number, signal: AbortSignal): Promise<GenerationState> {
    const waitMs = pollWaitMs(taskId)
    if (waitMs > 0) return { status: 'generating', checkAfterMs: waitMs }
    return readPoll(await get(`task/${taskId}`, signal), {
      intervalMs: POLL_INTERVAL_MS,
      toState,
      unspeakable: toUnspeakable({ apiKey }),
    })
  }

  /**
   * Spaces the polls of one task: a task may be checked twice in a short time.
   *
   * @returns 0 if the task may be polled now, which counts as a poll; otherwise how long to wait.
   */
  function pollWaitMs(taskId: number): number {
    const now = clock.now()
    for (const [id, at] of polledAt) if (now - at >= POLL_INTERVAL_MS) polledAt.delete(id)
    const last = polledAt.get(taskId)
    if (last !== undefined) return POLL_INTERVAL_MS - (now - last)
    polledAt.set(taskId, now)
    return 0
  }

  function get(path: string, signal: AbortSignal): Promise<Exchange> {
    return send({ method: 'GET', path, signal })
  }
}

function honoursKeys({ headers }: Answer): boolean {
  return String(headers['accept-idempotency-key'])
    .split(/[\s,]+/)
    .includes('creation')
}

/** A service with this interface says with a 502 that its provider refused. A page is from a server in between. */
function judge(answer: Answer): Verdict {
  const isRefusal = answer.status === 502 && isJsonObject(readJson(answer))
  return isRefusal ? 'rejected' : judgeStatus(answer.status)
}

/** Takes a task whose answer cannot be read for one that goes on: its deadline ends it. */
function toState(task: unknown): GenerationState {
  if (!isTask(task)) return { status: 'generating' }
  switch (task.status) {
    case 'success':
      return {
        status: 'success',
        results: (task.result_urls ?? []).map((url) => ({ type: 'url', url })),
      }
    case 'fail': {
      const { code = CODE_UNKNOWN, message = 'The provider failed.' } = task.error ?? {}
      return { status: 'fail', code, message }
    }
    case 'waiting':
    case 'queuing':
    case 'generating':
      return { status: 'generating', checkAfterMs: POLL_INTERVAL_MS }
  }
}
