import type { AttemptRecord, CallbackRecord } from '../../service/callback/callback-record.ts'
import { writeTable } from '../command-line/write-table.ts'
import { writeTime } from '../command-line/write-time.ts'

const COLUMNS = [
  { head: 'attempt', isNumber: true },
  { head: 'time' },
  { head: 'took, s', isNumber: true },
  { head: 'answer' },
]

/** By the state of the callback; null is that of a task that goes on. */
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
