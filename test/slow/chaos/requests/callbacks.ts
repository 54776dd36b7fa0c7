import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { expect } from 'vitest'
import { type LocalServer, reset, sendJson, serve } from '../local-server.ts'
import type { Report } from './client.ts'

/** The faults of a receiver with the callbacks of a task: how often it fails, and how. */
const RECEIVER_FAULTS = {
  none: { fails: 0, how: 200 },
  'fails-once': { fails: 1, how: 500 },
  'fails-twice': { fails: 2, how: 503 },
  'fails-always': { fails: 3, how: 410 },
  'redirects-once': { fails: 1, how: 302 },
  'resets-always': { fails: 3, how: 'reset' },
  'hangs-once': { fails: 1, how: 'hang' },
} as const satisfies Record<string, { fails: number; how: number | 'reset' | 'hang' }>

type ReceiverFault = keyof typeof RECEIVER_FAULTS
export const RECEIVER_FAULT_NAMES = Object.keys(RECEIVER_FAULTS) as ReceiverFault[]

/** A callback as it came. */
interface Received {
  taskId: number
  fault: ReceiverFault
  body: Buffer
  timestamp: string
  signature: string
  /** Milliseconds of this machine's clock. */
  at: number
}

interface Receiver extends LocalServer {
  received: readonly Received[]
}

/** A customer's server. The last segment of a URL's path is the fault. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = await serve(({ path, headers, body }, response) => {
    const name = path.split('/').at(-1)
    const fault = RECEIVER_FAULT_NAMES.find((known) => known === name)
    if (fault === undefined) return sendJson(response, 404, {})
    const taskId: number = JSON.parse(body.toString()).task_id
    const before = received.filter((each) => each.taskId === taskId).length
    received.push({
      taskId,
      fault,
      body,
      timestamp: String(headers['x-callback-timestamp']),
      signature: String(headers['x-callback-signature']),
      at: Date.now(),
    })
    const { fails, how } = RECEIVER_FAULTS[fault]
    if (before >= fails) return response.writeHead(204).end()
    if (how === 'reset') return reset(response)
    if (how === 'hang') return undefined
    return response.writeHead(how, { location: path }).end('no')
  })
  return { ...server, received }
}

const ATTEMPTS_MAX = 3
/** Seconds from the task's end (interface document, Events). */
const ATTEMPT_DELAYS_S = [0, 5, 15]
/** An instant in the database is rounded to a millisecond. */
const ROUNDING_S = 0.002

interface CallbackRow {
  task_id: number
  endpoint: string
  status: string
  error_code: number | null
  callback_url: string
  secret: string
  state: string
  body: Buffer
  attempts: { number: number; after_s: number; status: number | null; failure: string | null }[]
}

/** Every callback that was asked for came as often as it should, signed, with the same bytes. */
export async function checkCallbacks(
  sql: pg.Pool,
  reports: readonly Report[],
  received: readonly Received[],
) {
  const { rows } = await sql.query<CallbackRow>(`
    SELECT task.id AS task_id, endpoint, task.status, error_code, callback_url, callback.body,
           callback_secret AS secret, callback.state::text,
           (SELECT coalesce(json_agg(json_build_object('number', number, 'status', attempt.status, 'failure', failure,
              'after_s', extract(epoch FROM "startedAt" - task.ended_at)) ORDER BY number), '[]')
            FROM jsonb_to_recordset(attempts) AS attempt
              (number int, status int, failure text, "startedAt" timestamptz)) AS attempts
    FROM service.task JOIN service.account ON account.id = account_id
    LEFT JOIN service.callback ON callback.task_id = task.id
    WHERE callback_url IS NOT NULL ORDER BY task.id`)

  const asked = reports.filter(
    ({ planned, outcome }) =>
      outcome === '200' && 'x-callback-url' in planned.headers && planned.kind !== 'video',
  )
  const askedIds = new Set(asked.map(({ text }) => JSON.parse(text).task_id))
  const keptIds = new Set(rows.map((row) => row.task_id))
  expect([...askedIds].filter((id) => !keptIds.has(id))).toEqual([])
  expect(received.filter(({ taskId }) => !keptIds.has(taskId))).toEqual([])
  for (const row of rows) {
    const ofTask = received.filter(({ taskId }) => taskId === row.task_id)
    checkAttempts(row, ofTask)
    checkBody(row)
    for (const each of ofTask) checkReceived(row, each)
  }
}

function checkAttempts(
  { task_id, state, attempts, callback_url }: CallbackRow,
  ofTask: Received[],
) {
  const message = `callback of task ${task_id} to ${callback_url}: ${JSON.stringify(attempts)}`
  const last = attempts.at(-1)
  const isDelivered = last?.status === 204
  expect(state, message).toBe(isDelivered ? 'delivered' : 'failed')
  if (!isDelivered) expect(attempts, message).toHaveLength(ATTEMPTS_MAX)
  expect(attempts.length, message).toBeLessThanOrEqual(ATTEMPTS_MAX)
  for (const [index, { number, after_s }] of attempts.entries()) {
    expect(number, message).toBe(index + 1)
    expect(after_s, message).toBeGreaterThanOrEqual((ATTEMPT_DELAYS_S[index] ?? 0) - ROUNDING_S)
  }
  // An attempt of a killed process may or may not have gone out; every other one did.
  const died = attempts.filter(({ failure }) => failure === 'process_died').length
  expect(ofTask.length, message).toBeLessThanOrEqual(attempts.length)
  expect(ofTask.length, message).toBeGreaterThanOrEqual(attempts.length - died)
  const [{ fault } = { fault: undefined }] = ofTask
  if (died === 0 && fault !== undefined) {
    const { fails } = RECEIVER_FAULTS[fault]
    expect(attempts.length, message).toBe(Math.min(fails + 1, ATTEMPTS_MAX))
  }
}

function checkBody({ task_id, endpoint, status, error_code, body }: CallbackRow) {
  const isSuccess = status === 'success'
  expect(JSON.parse(body.toString())).toEqual({
    task_id,
    status,
    code: isSuccess ? 200 : error_code,
    result_urls: isSuccess ? [expect.stringMatching(/^http.*\/files\//)] : null,
    error: isSuccess ? null : expect.any(String),
    model: endpoint.replace(/^.*\/|-generate$/g, ''),
    timestamp: expect.any(Number),
  })
}

function checkReceived(row: CallbackRow, { body, timestamp, signature, at }: Received) {
  const hmac = createHmac('sha256', row.secret).update(`${timestamp}.`).update(row.body)
  expect(body.equals(row.body)).toBe(true)
  expect(signature).toBe(`sha256=${hmac.digest('hex')}`)
  expect(timestamp).toMatch(/^\d+$/)
  // Of the attempt, not of the task's end.
  expect(Math.abs(at / 1000 - Number(timestamp))).toBeLessThan(5)
}
