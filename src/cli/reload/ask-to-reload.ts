import type pg from 'pg'
import { findWorking } from '../../platform/database/instance/instance-row.ts'
import {
  createRequest,
  RELOAD_CHANNEL,
  RELOADED_CHANNEL,
  type ReloadAnswer,
  readReloadAnswer,
} from '../../process/reload/reload-messages.ts'

/** A file is read within moments; a process that is frozen or cut off does not answer. */
const ANSWER_MS_MAX = 10_000

/** The answers of the service's processes. */
export interface ReloadReport {
  answers: readonly ReloadAnswer[]
  /** The ids of processes that live and did not answer. */
  silent: readonly number[]
}

/**
 * Asks every process of the service on a database to read its config again, and waits for their answers.
 *
 * @param answerMs How long to wait for all of them.
 */
export async function askToReload(
  pool: pg.Pool,
  { answerMs = ANSWER_MS_MAX }: { answerMs?: number } = {},
): Promise<ReloadReport> {
  const client = await pool.connect()
  try {
    const asked = await findWorking(client, 'service')
    const answers = await gatherAnswers(client, asked, answerMs)
    const heard = new Set(answers.map(({ instance }) => instance))
    // Those that have ended meanwhile read the file when they begin again.
    const living = await findWorking(client, 'service')
    const silent = living.filter((id) => asked.includes(id) && !heard.has(id))
    return { answers: answers.toSorted((one, other) => one.instance - other.instance), silent }
  } finally {
    // Its subscription ends with it.
    client.release(true)
  }
}

async function gatherAnswers(
  client: pg.ClientBase,
  asked: readonly number[],
  answerMs: number,
): Promise<ReloadAnswer[]> {
  const { request } = createRequest()
  const awaited = new Set(asked)
  const answers: ReloadAnswer[] = []
  if (awaited.size === 0) return answers
  const done = Promise.withResolvers<void>()
  client.on('error', done.reject)
  // A connection that breaks also fails the query that is under way, before this is awaited.
  done.promise.catch(() => {})
  client.on('notification', ({ payload = '' }) => {
    const answer = readReloadAnswer(payload)
    if (answer?.request !== request) return
    answers.push(answer)
    awaited.delete(answer.instance)
    if (awaited.size === 0) done.resolve()
  })
  await client.query(`LISTEN ${RELOADED_CHANNEL}`)
  const timer = setTimeout(done.resolve, answerMs)
  try {
    await client.query('SELECT pg_notify($1, $2)', [RELOAD_CHANNEL, JSON.stringify({ request })])
    await done.promise
    return answers
  } finally {
    clearTimeout(timer)
  }
}
