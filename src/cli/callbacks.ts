import type { Command } from 'commander'
import type pg from 'pg'
import { readTimeZone } from '../process/config.ts'
import {
  type AttemptRecord,
  type CallbackRecord,
  FAILED_MAX,
  type FailedCallback,
  listFailedCallbacks,
  readCallbackRecord,
  sendCallbacksAgain,
} from '../service/callback/callback-record.ts'
import { READERS } from './account/arguments.ts'
import { type Field, toJson, writeTable } from './output.ts'
import { type CommandContext, createAdd, createProgram, writeToOperator } from './program.ts'

const ATTEMPT_FIELDS: readonly Field<AttemptRecord>[] = [
  { name: 'number', head: 'attempt', read: ({ number }) => number },
  { name: 'started_at', head: 'time', read: ({ startedAt }) => new Date(startedAt) },
  { name: 'ended_at', read: ({ endedAt }) => endedAt && new Date(endedAt) },
  { head: 'took, s', read: toSeconds },
  { name: 'status', read: ({ status }) => status },
  { name: 'failure', read: ({ failure }) => failure },
  { head: 'answer', read: describeAnswer },
]

const FAILED_FIELDS: readonly Field<FailedCallback>[] = [
  { name: 'task_id', head: 'task', read: ({ taskId }) => taskId },
  { name: 'account_id', head: 'account', read: ({ accountId }) => accountId },
  { name: 'failed_at', head: 'failed', read: ({ failedAt }) => failedAt },
  { name: 'attempts', head: 'attempts', read: ({ attempts }) => attempts },
  { name: 'status', read: ({ status }) => status },
  { name: 'failure', read: ({ failure }) => failure },
  { head: 'last answer', read: describeAnswer },
  { name: 'url', head: 'to', read: ({ url }) => url },
]

const STATES = {
  pending: 'is being sent',
  delivered: 'is delivered',
  failed: 'is not delivered, and not tried again before you send it',
} as const

/** `kopeck callbacks`: deliveries of the callbacks of tasks. */
export function createCallbacksProgram(context: CommandContext): Command {
  const program = createProgram(context)
  const add = createAdd(program, context, READERS)
  const timeZone = () => readTimeZone(context.env)
  add('list [TASK_ID]', 'callbacks not delivered, or the attempts for one task', list, {
    '--json': 'JSON',
  })
  add(
    'send <TASK_ID|failed>',
    'three more attempts for a task, or for all callbacks not delivered',
    send,
  )
  return program

  async function list(pool: pg.Pool, taskId: number | undefined, { json }: { json?: true }) {
    if (taskId === undefined) return await listFailed(pool, json)
    const { accountId, url, state, attempts } = await findCallback(pool, taskId)
    if (json) {
      const listed = toJson(ATTEMPT_FIELDS, attempts)
      return { task_id: taskId, account_id: accountId, url, state, attempts: listed }
    }
    const standing = state === null ? 'is sent when the task has ended' : STATES[state]
    const head = `The callback of task ${taskId} to ${url} ${standing}.`
    if (attempts.length === 0) return `${head}\nNo attempt is known.`
    return `${head}\n\n${writeTable(ATTEMPT_FIELDS, attempts, { timeZone: timeZone() })}`
  }

  async function listFailed(pool: pg.Pool, json?: true): Promise<string | object> {
    const callbacks = await listFailedCallbacks(pool)
    if (callbacks.length === FAILED_MAX) {
      writeToOperator(`Only the ${FAILED_MAX} latest callbacks are shown`)
    }
    if (json) return { callbacks: toJson(FAILED_FIELDS, callbacks) }
    if (callbacks.length === 0) return 'Every callback is delivered, or being sent.'
    return writeTable(FAILED_FIELDS, callbacks, { timeZone: timeZone() })
  }
}

/** @param taskId False for `failed`. */
async function send(pool: pg.Pool, taskId: number | false): Promise<object> {
  const callbacks = await sendCallbacksAgain(pool, taskId === false ? undefined : taskId)
  if (taskId === false) return { callbacks, state: 'pending' }
  if (callbacks === 1) return { task_id: taskId, state: 'pending' }
  const { state } = await findCallback(pool, taskId)
  throw new Error(
    state === null
      ? `Task ${taskId} has not ended: its callback is sent when it has`
      : `The callback of task ${taskId} is still being sent: see list ${taskId}`,
  )
}

async function findCallback(pool: pg.Pool, taskId: number): Promise<CallbackRecord> {
  const callback = await readCallbackRecord(pool, taskId)
  if (callback === undefined) throw new Error(`There is no task ${taskId}`)
  if (callback.url !== null) return callback
  const why = 'its creation named no X-Callback-Url, or made a video'
  throw new Error(`Task ${taskId} has no callback: ${why}`)
}

function toSeconds({ startedAt, endedAt }: AttemptRecord): number | undefined {
  if (endedAt === null) return undefined
  return Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 100) / 10
}

function describeAnswer({ status, failure }: Pick<AttemptRecord, 'status' | 'failure'>): string {
  return status === null ? (failure ?? 'under way') : String(status)
}
