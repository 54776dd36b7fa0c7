import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findRunningDatabase } from '../../../src/platform/database/embedded/data-cluster.ts'
import type { HealthReport } from '../../../src/process/health.ts'
import { startChatService } from '../../bot/chat-service.ts'
import { findServerPid } from '../../support/embedded-server.ts'
import { NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const CHATS = [7001, 7002, 7003, 7004, 7005, 7006]
const LATE_CHATS = [7007, 7008]
const WAIT_MS = 45_000

async function startAnswering() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-restart-'))
  const telegram = await openTelegram()
  const service = await startChatService()
  const kopeck = await startKopeck(
    {
      ...telegram.env,
      ...NO_SERVICE_LIMITS,
      DATA_DIR: dataDir,
      SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
      SERVICE_API_KEY: 'key',
    },
    ['bot'],
  )
  onTestFinished(async () => {
    await kopeck.stop()
    await service.close()
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  for (const chat of CHATS) telegram.say(chat, `Hello from ${chat}`)
  await expect.poll(() => service.completions.length).toBe(CHATS.length)
  for (const completion of service.completions) completion.delta('An ')
  service.onCompletion((completion) => {
    completion.delta('An answer.')
    completion.finish({ costRub: 0.01 })
  })
  return { telegram, service, kopeck, dataDir }
}

async function watchHealth(address: string): Promise<{ reasons: Set<string>; awayMs: number }> {
  const reasons = new Set<string>()
  const begunMs = performance.now()
  for (;;) {
    const response = await fetch(`${address}/healthz`)
    const report = (await response.json()) as HealthReport
    expect(response.status).toBe(report.ready ? 200 : 503)
    for (const reason of report.reasons) reasons.add(reason)
    if (report.ready && reasons.size > 0) {
      return { reasons, awayMs: Math.round(performance.now() - begunMs) }
    }
    await delay(20)
  }
}

// Promise: The embedded PostgreSQL is killed under load
test('kill -9 of the embedded server in the middle of replies: /healthz says so, it is started again, and nothing is lost', {
  timeout: 3 * WAIT_MS,
}, async () => {
  const { telegram, service, kopeck, dataDir } = await startAnswering()
  const before = await fetch(`${kopeck.address}/healthz`)

  process.kill(await findServerPid(dataDir), 'SIGKILL')
  const watched = watchHealth(kopeck.address)
  for (const chat of LATE_CHATS) telegram.say(chat, 'Said while it was away')
  const { reasons, awayMs } = await watched
  process.stdout.write(`serves again after ${awayMs} ms\n`)
  for (const completion of service.completions.slice(0, CHATS.length)) {
    completion.delta('answer.')
    completion.finish({ costRub: 0.01 })
  }
  const chats = [...CHATS, ...LATE_CHATS]
  const answers = () => chats.map((chat) => telegram.answers(chat, 0).map(({ text }) => text))
  await expect.poll(answers, { timeout: WAIT_MS }).toEqual(chats.map(() => ['An answer.']))

  expect(before.status).toBe(200)
  expect(reasons).toContain('the database does not answer')
  expect(service.completions).toHaveLength(chats.length)
  const pool = new pg.Pool({ connectionString: (await findRunningDatabase(dataDir)) ?? '' })
  // Its server may end before its last connection has.
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  // The last words are shown before the end is stored.
  await expect
    .poll(() => read(pool, 'SELECT state, count(*)::int FROM bot.turn GROUP BY state'))
    .toEqual([{ state: 'finished', count: chats.length }])
  const charges = await read(
    pool,
    'SELECT count(*)::int FROM bot.charge WHERE amount_micro_rub > 0 OR written_off_micro_rub = 0',
  )
  expect(charges).toEqual([{ count: chats.length }])
})

async function read(pool: pg.Pool, statement: string): Promise<unknown[]> {
  return (await pool.query(statement)).rows
}
