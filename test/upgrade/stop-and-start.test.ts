import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEmptyDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { MESSAGES, openUpgradeHouse, TIMEOUT_MS } from './upgrade-house.ts'
import { installRelease, readThisVersion, runCommand } from './versions.ts'

// Promise: A process is stopped amid its work, and started again in a newer version
test('the release before is stopped amid questions and orders, and this version started: nothing is lost or done twice, and every sum is right', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [before, now] = await Promise.all([installRelease(), readThisVersion()])
  const house = await openUpgradeHouse()
  const own = {
    DATABASE_URL: await createEmptyDatabase(),
    DATA_DIR: join(house.folder, 'data'),
    PORT: await findFreePort(),
  }
  const asOperator = { cwd: house.folder, env: own }
  const first = await house.start(before, own)
  const pool = await house.openDatabase(own.DATABASE_URL)
  const shop = JSON.parse(
    await runCommand(
      before,
      ['account', 'create', '--name', 'shop', '--credit', '500'],
      asOperator,
    ),
  )
  await house.writeDuring(pool, MESSAGES / 2)

  let second = first
  await house.writeDuring(pool, MESSAGES / 2, async () => {
    expect(await first.stop()).toBe(0)
    second = await house.start(now, own)
  })
  await house.settle(pool)

  expect(await house.judge(pool, second)).toEqual([])
  const balance = await fetch(`${second.address}/api/v1/balance`, {
    headers: { authorization: `Bearer ${shop.api_key}` },
  })
  expect(await balance.json()).toEqual({ balance_rub: 500 })
  // They end with another code where a sum is not what it should be.
  await runCommand(now, ['account', 'check'], asOperator)
  await runCommand(now, ['spend', 'check'], asOperator)
  expect(await second.stop()).toBe(0)
})
