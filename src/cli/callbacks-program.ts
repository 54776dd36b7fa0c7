import type { Command } from 'commander'
import type pg from 'pg'
import { readTimeZone } from '../process/config/config.ts'
import type { AttemptRecord } from '../service/callback/callback-record.ts'
import {
  type CallbackRecord,
  readCallbackRecord,
  sendCallbackAgain,
} from '../service/callback/callback-record.ts'
import { rotateCallbackSecret } from '../service/ledger/accounts.ts'
import { ACCOUNT_ID, noAccount, readAccountId } from './account/arguments.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { withPool } from './command-line/with-pool.ts'
import { writeJson, writeTable, writeTime } from './command-line/write-output.ts'

const TASK_ID = 'the number that the creation was answered with'
const TASK_ID_MAX = 2 ** 31 - 1

/** `kopeck callbacks` shows what became of the callbacks of tasks, and sends them again. */
export function createCallbacksProgram({ use, env, print }: CommandDeps): Command {
  const program = createProgram({
    use,
    about: 'Shows how the callbacks of tasks were delivered, and sends them again.',
  })
  program
    .command('list')
    .description('show the attempts to deliver the callback of a task')
    .argument('<TASK_ID>', TASK_ID, readTaskId)
    .option('--json', 'print JSON')
    .action(list)
  program
    .command('send')
    .description('send it again: three more attempts, by the running service or its next start')
    .argument('<TASK_ID>', TASK_ID, readTaskId)
    .action(send)
  program
    .command('rotate-secret')
    .description('give an account another secret for its callbacks, which its client asks for anew')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
    .action(rotateSecret)
  return program

  async function list(taskId: number, { json = false }: { json?: boolean }): Promise<void> {
    const callback = await onDatabase((pool) => findCallback(pool, taskId))
    if (json) return print(writeJson(toCallbackJson(taskId, callback)))
    print(writeCallback(taskId, callback, readTimeZone(env)))
  }

  async function send(taskId: number): Promise<void> {
    await onDatabase(async (pool) => {
      if (await sendCallbackAgain(pool, taskId)) return
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

/** @throws {Error} If no callback is, or will be, sent for the task. */
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

const COLUMNS = [
  { head: 'attempt', isNumber: true },
  { head: 'time' },
  { head: 'took, s', isNumber: true },
  { head: 'answer' },
]

/** Words by the state of the callback; a task that goes on has none. */
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
  const answer = status === null ? (failure ?? 'under way') : String(status)
  return [String(number), writeTime(startedAt, timeZone), tookSeconds ?? '', answer]
}
