import type { Command } from 'commander'
import type pg from 'pg'
import { readTimeZone } from '../process/config/config.ts'
import type { AttemptRecord } from '../service/callback/callback-record.ts'
import {
  type CallbackRecord,
  type FailedCallback,
  listFailedCallbacks,
  readCallbackRecord,
  sendCallbacksAgain,
} from '../service/callback/callback-record.ts'
import { findAccount, rotateCallbackSecret } from '../service/ledger/accounts.ts'
import { ACCOUNT_ID, noAccount, readAccountId } from './account/arguments.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { withPool } from './command-line/with-pool.ts'
import { writeJson, writeTable, writeTime } from './command-line/write-output.ts'

const TASK_ID = 'the number that the creation was answered with'
const TASK_ID_MAX = 2 ** 31 - 1
const FAILED_DEFAULT = 50
const FAILED_MAX = 10_000

interface ListOptions {
  account?: number
  limit?: number
  json?: boolean
}

interface SendOptions {
  failed?: boolean
  account?: number
}

/** `kopeck callbacks` shows what became of the callbacks of tasks, and sends them again. */
export function createCallbacksProgram({ use, env, print }: CommandDeps): Command {
  const program = createProgram({
    use,
    about: 'Shows how the callbacks of tasks were delivered, and sends them again.',
  })
  program
    .command('list')
    .description('show those that are not delivered, or the attempts to deliver that of a task')
    .argument('[TASK_ID]', TASK_ID, readTaskId)
    .option('--account <ACCOUNT_ID>', 'only those of this account', readAccountId)
    .option('--limit <N>', `how many at most (default: ${FAILED_DEFAULT})`, readLimit)
    .option('--json', 'print JSON')
    .action(list)
  program
    .command('send')
    .description('send it again: three more attempts, by the running service or its next start')
    .argument('[TASK_ID]', TASK_ID, readTaskId)
    .option('--failed', 'all that are not delivered')
    .option('--account <ACCOUNT_ID>', 'with --failed: only those of this account', readAccountId)
    .action(send)
  program
    .command('rotate-secret')
    .description('give an account another secret for its callbacks, which its client asks for anew')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
    .action(rotateSecret)
  return program

  async function list(taskId: number | undefined, options: ListOptions): Promise<void> {
    const { account, limit, json = false } = options
    if (taskId === undefined) return await listFailed(options)
    if (account !== undefined || limit !== undefined) {
      throw new Error('--account and --limit are for the list without a TASK_ID')
    }
    const callback = await onDatabase((pool) => findCallback(pool, taskId))
    if (json) return print(writeJson(toCallbackJson(taskId, callback)))
    print(writeCallback(taskId, callback, readTimeZone(env)))
  }

  async function listFailed({ account, limit = FAILED_DEFAULT, json = false }: ListOptions) {
    const read = await onDatabase(async (pool) => {
      await refuseUnknown(pool, account)
      return await listFailedCallbacks(pool, { accountId: account, callbacksMax: limit + 1 })
    })
    const failed = { callbacks: read.slice(0, limit), hasMore: read.length > limit }
    print(json ? writeJson(toFailedJson(failed)) : writeFailed(failed, readTimeZone(env)))
  }

  async function send(taskId: number | undefined, options: SendOptions): Promise<void> {
    const { failed = false, account } = options
    if (failed === (taskId !== undefined) || (account !== undefined && !failed)) {
      throw new Error('send takes a TASK_ID, or --failed, with --account where you like')
    }
    await (taskId === undefined ? sendFailed(account) : sendOne(taskId))
  }

  async function sendFailed(accountId: number | undefined): Promise<void> {
    const callbacks = await onDatabase(async (pool) => {
      await refuseUnknown(pool, accountId)
      return await sendCallbacksAgain(pool, { failedOf: accountId ?? 'all' })
    })
    print(writeJson({ callbacks, state: 'pending' }))
  }

  async function sendOne(taskId: number): Promise<void> {
    await onDatabase(async (pool) => {
      if ((await sendCallbacksAgain(pool, { taskId })) === 1) return
      const { state } = await findCallback(pool, taskId)
      throw new Error(
        state === null
          ? `Task ${taskId} has not ended: its callback is sent when it has`
          : `The callback of task ${taskId} is still being sent: see list ${taskId}`,
      )
    })
    print(writeJson({ task_id: taskId, state: 'pending' }))
  }

  async function rotateSecret(accountId: number): Promise<void> {
    if (!(await onDatabase((pool) => rotateCallbackSecret(pool, accountId))))
      throw noAccount(accountId)
    print(writeJson({ account_id: accountId, rotated: true }))
  }

  function onDatabase<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
    return withPool({ env, migrates: true }, work)
  }
}

async function refuseUnknown(pool: pg.Pool, accountId: number | undefined): Promise<void> {
  const isKnown = accountId === undefined || (await findAccount(pool, accountId)) !== undefined
  if (!isKnown) throw noAccount(accountId)
}

async function findCallback(
  pool: pg.Pool,
  taskId: number,
): Promise<CallbackRecord & { url: string }> {
  const callback = await readCallbackRecord(pool, taskId)
  if (callback === undefined) throw new Error(`There is no task ${taskId}`)
  const { url } = callback
  if (url !== null) return { ...callback, url }
  throw new Error(
    `Task ${taskId} has no callback: its creation named no X-Callback-Url, or made a video`,
  )
}

function readTaskId(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= TASK_ID_MAX) return Number(text)
  throw new Error(`TASK_ID should be ${TASK_ID}`)
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= FAILED_MAX) return Number(text)
  throw new Error(`--limit should be a whole number from 1 to ${FAILED_MAX}`)
}

const COLUMNS = [
  { head: 'attempt', isNumber: true },
  { head: 'time' },
  { head: 'took, s', isNumber: true },
  { head: 'answer' },
]

const STATES = {
  pending: 'is being sent',
  delivered: 'is delivered',
  failed: 'is not delivered, and not tried again before you send it',
} as const

type KnownCallback = CallbackRecord & { url: string }

/** Writes for people how a callback stands, and what each attempt came to. */
export function writeCallback(
  taskId: number,
  { url, state, attempts }: KnownCallback,
  timeZone: string,
): string {
  const stands = state === null ? 'is sent when the task has ended' : STATES[state]
  const head = `The callback of task ${taskId} to ${url} ${stands}.`
  if (attempts.length === 0) return `${head}\nNo attempt is known.`
  const rows = attempts.map((attempt) => toCells(attempt, timeZone))
  return `${head}\n\n${writeTable(COLUMNS, rows)}`
}

/** The same for programs. */
export function toCallbackJson(taskId: number, { accountId, url, state, attempts }: KnownCallback) {
  return {
    task_id: taskId,
    account_id: accountId,
    url,
    state,
    attempts: attempts.map(({ number, startedAt, endedAt, status, failure }) => ({
      number,
      started_at: startedAt.toISOString(),
      ended_at: endedAt?.toISOString() ?? null,
      status,
      failure,
    })),
  }
}

function toCells(
  { number, startedAt, endedAt, status, failure }: AttemptRecord,
  timeZone: string,
): string[] {
  const tookSeconds = endedAt && ((endedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1)
  const answer = toAnswer({ status, failure })
  return [String(number), writeTime(startedAt, timeZone), tookSeconds ?? '', answer]
}

function toAnswer({ status, failure }: Pick<AttemptRecord, 'status' | 'failure'>): string {
  return status === null ? (failure ?? 'under way') : String(status)
}

const FAILED_COLUMNS = [
  { head: 'task', isNumber: true },
  { head: 'account', isNumber: true },
  { head: 'failed' },
  { head: 'attempts', isNumber: true },
  { head: 'last answer' },
  { head: 'to' },
]

interface FailedList {
  callbacks: readonly FailedCallback[]
  hasMore: boolean
}

function writeFailed({ callbacks, hasMore }: FailedList, timeZone: string): string {
  if (callbacks.length === 0) return 'Every callback is delivered, or being sent.'
  const rows = callbacks.map(({ taskId, accountId, url, failedAt, attempts, status, failure }) => {
    const time = writeTime(failedAt, timeZone)
    const answer = toAnswer({ status, failure })
    return [String(taskId), String(accountId), time, String(attempts), answer, url]
  })
  const table = writeTable(FAILED_COLUMNS, rows)
  return hasMore ? `${table}\n\nThere are older ones: --limit shows more.` : table
}

function toFailedJson({ callbacks, hasMore }: FailedList) {
  return {
    callbacks: callbacks.map(({ taskId, accountId, url, failedAt, attempts, status, failure }) => ({
      task_id: taskId,
      account_id: accountId,
      url,
      failed_at: failedAt.toISOString(),
      attempts,
      status,
      failure,
    })),
    has_more: hasMore,
  }
}
