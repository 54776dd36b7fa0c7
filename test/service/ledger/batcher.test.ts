import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.ts'
import { Ledger } from '../../../src/service/ledger/ledger.ts'
import type { Pool } from '../../../src/service/ledger/sql.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import { balanceOf, fundedAccount, ledgerFaults, takeHold, toRequest } from './ledger-fixture.ts'

let url: string
let pool: pg.Pool
useLedgerPools((opened) => {
  ;({ url, pool } = opened)
})

test('a batch whose answer was lost is not done again, and each hold of it can be withdrawn', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const batches: number[] = []
  const ledger = new Ledger({
    connect: () => pool.connect(),
    query: async (config: pg.QueryConfig, values: unknown[]) => {
      const result = await pool.query(config, values)
      if (config.name !== 'hold-batch') return result
      batches.push(config.values?.[0].length)
      throw new Error('Connection terminated unexpectedly')
    },
  } as unknown as Pool)
  const requests = Array.from({ length: 4 }, () => toRequest({ accountId, amountMicroRub: 10n }))

  const outcomes = await Promise.allSettled(requests.map((request) => ledger.hold(request)))

  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
  expect(batches.reduce((sum, count) => sum + count, 0)).toBe(4)
  expect(await balanceOf(pool, accountId)).toBe(60n)
  for (const request of requests) await ledger.withdraw(request)
  expect(await balanceOf(pool, accountId)).toBe(100n)
  expect(await ledgerFaults(pool)).toEqual([])
})

test('a connection that hangs stops nobody else, and its hold fails once it is broken', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const proxy = await openCuttableProxy(Number(new URL(url).port))
  const detour = new URL(url)
  detour.port = String(proxy.port)
  const database = openDatabase({ url: detour.href })
  await takeHold(database.pool, { accountId, amountMicroRub: 0n })
  proxy.swallow()

  const hanging = takeHold(database.pool, { accountId, amountMicroRub: 10n })
  // Others that came now would share its statement.
  await nextTurn()
  const others = [1n, 2n].map((amountMicroRub) =>
    takeHold(database.pool, { accountId, amountMicroRub }),
  )
  await Promise.all(others)
  const failed = expect(hanging).rejects.toThrow('Connection terminated')
  database.suspend()
  await failed
  await database.close()
  proxy.cut()

  expect(await balanceOf(pool, accountId)).toBe(97n)
})

test('a refusal refuses only its own request, and those that come first are served first', async () => {
  const poor = await fundedAccount(pool, 35n)
  const rich = await fundedAccount(pool, 1000n)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      takeHold(pool, { accountId: index % 2 === 0 ? poor : rich, amountMicroRub: 10n }),
    ),
  )

  const ofPoor = outcomes.filter((_, index) => index % 2 === 0)
  expect(ofPoor.map(({ status }) => status)).toEqual([
    ...Array(3).fill('fulfilled'),
    ...Array(7).fill('rejected'),
  ])
  expect(ofPoor.at(-1)).toMatchObject({ reason: refusal('balance_too_low') })
  expect([await balanceOf(pool, poor), await balanceOf(pool, rich)]).toEqual([5n, 900n])
})
