import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { checkSums } from '../../src/bot/spend/check/check-sums.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createEmptyDatabase } from '../platform/database/test-database.ts'
import { NO_SERVICE_LIMITS, startKopeck } from './kopeck.ts'
import { openTelegram } from './telegram-user.ts'

const MADE = join(import.meta.dirname, '../platform/database/made-before-init.sql')

// Promise: The database was made by the version before, whose migrations were 89
test('a database that the version before was killed over is gone on with: its turn and hold end, its sums are right', async () => {
  const telegram = await openTelegram()
  const url = await createEmptyDatabase()
  const made = new pg.Client({ connectionString: url })
  await made.connect()
  await made.query(await readFile(MADE, 'utf8')).finally(() => made.end())
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-take-over-'))
  const env = { ...telegram.env, ...NO_SERVICE_LIMITS, DATABASE_URL: url, DATA_DIR: dataDir }

  const kopeck = await startKopeck(env)

  const { pool, prisma, close } = openTestDatabase({ url })
  await vi.waitFor(
    async () => {
      const { rows } = await pool.query(`
        SELECT (SELECT count(*)::int FROM bot.turn WHERE state = 'streaming') AS turns,
               (SELECT count(*)::int FROM service.hold WHERE state = 'held') AS holds`)
      expect(rows).toEqual([{ turns: 0, holds: 0 }])
    },
    { timeout: 30_000, interval: 200 },
  )
  // The turn that the kill cut through is charged its estimate, which the service kept.
  expect(await checkSums(prisma)).toMatchObject({ charges: 8, differences: [] })
  expect((await pool.query('SELECT * FROM service.ledger_fault')).rows).toEqual([])
  const { rows: accounts } = await pool.query(
    'SELECT id, name, balance_micro_rub FROM service.account WHERE id = 2',
  )
  expect(accounts).toEqual([{ id: 2, name: 'shop', balance_micro_rub: '570000000' }])
  expect(await prisma.order.count({ where: { state: 'delivered' } })).toBe(3)
  await close()
  expect(await kopeck.stop()).toBe(0)
  await telegram.close()
  await rm(dataDir, { recursive: true })
})
