import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findRunningDatabase } from '../../../src/platform/database/embedded/data-cluster.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import {
  fundedAccount,
  ledgerFaults,
  markOutput,
  takeHold,
} from '../../service/ledger/ledger-fixture.ts'
import { startKopeck } from '../../support/kopeck.ts'

const run = promisify(execFile)
const WAIT_MS = 30_000

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')

async function command(program: 'backup' | 'restore', file: string, dataDir: string) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  await run(process.execPath, [COMMAND, program, file], {
    env,
    cwd: tmpdir(),
  })
}

async function start(dataDir: string) {
  const kopeck = await startKopeck({ DATA_DIR: dataDir }, ['service'])
  const pool = new pg.Pool({
    connectionString: await findRunningDatabase(join(dataDir, 'playground')),
    max: 2,
  })
  pool.on('error', () => {})
  const stop = async () => {
    await pool.end()
    await kopeck.stop()
  }
  return { kopeck, pool, stop }
}

async function statesOf(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query(
    `SELECT id, COALESCE(end_state::text, 'held') AS state FROM service.request`,
  )
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]))
}

// Promise: A backup has open holds, and a process that lived
test('a copy restored beside a running Kopeck ends the requests that were open as a crash does, and changes nothing of the original', {
  timeout: 4 * WAIT_MS,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-backup-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const dataDir = join(folder, 'data')
  const original = await start(dataDir)
  const accountId = await fundedAccount(original.pool, 1_000_000n)
  const apiKey = await createApiKey(original.pool, accountId)
  const { rows } = await original.pool.query('SELECT id FROM public.instance')
  const leaseOwner = rows[0]?.id
  const silent = await takeHold(original.pool, { accountId, leaseOwner, amountMicroRub: 1_000n })
  const speaking = await takeHold(original.pool, { accountId, leaseOwner, amountMicroRub: 500n })
  await markOutput(original.pool, speaking)

  await command('backup', join(folder, 'kopeck.tar'), dataDir)
  await command('restore', join(folder, 'kopeck.tar'), join(folder, 'copy'))
  const copy = await start(join(folder, 'copy'))

  await expect
    .poll(() => statesOf(copy.pool), { timeout: WAIT_MS })
    .toEqual({ [silent]: 'released', [speaking]: 'captured' })
  expect(await ledgerFaults(copy.pool)).toEqual([])
  const balance = await fetch(`${copy.kopeck.address}/api/v1/balance`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(await balance.json()).toEqual({ balance_rub: 0.9995 })
  expect(await statesOf(original.pool)).toEqual({ [silent]: 'held', [speaking]: 'held' })
  await copy.stop()
  await original.stop()
})
