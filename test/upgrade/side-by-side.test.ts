import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Kopeck } from '../e2e/kopeck.ts'
import { createEmptyDatabase } from '../platform/database/test-database.ts'
import { openBalancer } from './balancer.ts'
import { MESSAGES, openUpgradeHouse, TIMEOUT_MS } from './upgrade-house.ts'
import { installRelease, readThisVersion, type Version } from './versions.ts'

/** The number of updates that the processes handle in each state of the upgrade. */
const UPDATES = MESSAGES / 6

// Promise: Two processes are replaced one after the other by a newer version, while users write
test('two processes of the release before are replaced one by one, while users write and order: both versions work side by side, nothing is lost or done twice', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [before, now] = await Promise.all([installRelease(), readThisVersion()])
  const house = await openUpgradeHouse()
  const balancer = await openBalancer()
  onTestFinished(() => balancer.close())
  const own = {
    DATABASE_URL: await createEmptyDatabase(),
    DATA_DIR: join(house.folder, 'data'),
    PUBLIC_URL: balancer.origin,
    WEBHOOK_SECRET: 'upgrade_secret',
    CALLBACK_ALLOW: new URL(balancer.origin).host,
  }
  const old = [await start(before), await start(before)]
  const pool = await house.openDatabase(own.DATABASE_URL)

  const upgraded: Kopeck[] = []
  await house.writeDuring(pool, MESSAGES, async () => {
    await house.handle(pool, UPDATES)
    for (const each of old) {
      upgraded.push(await start(now))
      await house.handle(pool, UPDATES)
      balancer.addresses.delete(each.address)
      expect(await each.stop()).toBe(0)
      await house.handle(pool, UPDATES)
    }
  })
  await house.settle(pool)

  const { rows } = await pool.query<{ processes: number }>(
    'SELECT count(DISTINCT writer)::int AS processes FROM public.update_trace',
  )
  expect(rows[0]?.processes).toBeGreaterThanOrEqual(4)
  for (const each of upgraded) expect(await house.judge(pool, each)).toEqual([])
  for (const each of upgraded) expect(await each.stop()).toBe(0)

  async function start(version: Version): Promise<Kopeck> {
    const started = await house.start(version, own)
    balancer.addresses.add(started.address)
    return started
  }
})
