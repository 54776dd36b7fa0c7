import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../platform/http/free-port.ts'
import { findEmbedded, MESSAGES, openPool, openUpgradeHouse, TIMEOUT_MS } from './upgrade-house.ts'
import { installRelease, readThisVersion, runCommand } from './versions.ts'

/** Somebody who writes to the version that was started by mistake. */
const MISLED = 7_777

// Promise: A newer version was started by mistake, and is taken back by the backup
test('this version was started by mistake: the release before goes on from its own backup as if it had not been, and is upgraded later', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [before, now] = await Promise.all([installRelease(), readThisVersion()])
  const house = await openUpgradeHouse()
  const { folder, telegram, model } = house
  const own = { DATA_DIR: join(folder, 'data'), PORT: await findFreePort() }
  const restored = { ...own, DATA_DIR: join(folder, 'restored') }
  const file = join(folder, 'before.backup')
  const first = await house.start(before, own)
  const pool = await house.openDatabase(await findEmbedded(own.DATA_DIR))
  await house.writeDuring(pool, MESSAGES / 2)
  await house.settle(pool)
  await runCommand(before, ['backup', file], { cwd: folder, env: own })
  expect(await first.stop()).toBe(0)

  const mistake = await house.start(now, own)
  const asked = model.asked.length
  const question = telegram.say(MISLED, 'n7777x0 tell me')
  await expect.poll(() => telegram.answers(MISLED, question).length).toBeGreaterThan(0)
  expect(await mistake.stop()).toBe(0)
  // What came after the backup is lost with it.
  model.asked.splice(asked)
  await runCommand(before, ['restore', file], { cwd: folder, env: restored })

  const again = await house.start(before, restored)
  const gone = openPool(await findEmbedded(restored.DATA_DIR))
  await house.writeDuring(gone, MESSAGES / 2)
  await house.settle(gone)
  expect(await again.stop()).toBe(0)
  const upgraded = await house.start(now, restored)
  const last = openPool(await findEmbedded(restored.DATA_DIR))

  expect(await house.judge(last, upgraded)).toEqual([])
  expect(await upgraded.stop()).toBe(0)
})
