import { expect, onTestFinished, test } from 'vitest'
import { createAlertSettings } from '../../../src/bot/alerts/alert-settings.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

test('alerts are as they were set, for every process, and off stays off', async () => {
  const database = openTestDatabase({ url: await createTestDatabase(), connectionsMax: 1 })
  onTestFinished(() => database.close())
  const initial = await createAlertSettings(database.prisma).read()
  const settings = createAlertSettings(database.prisma)

  await settings.set({ balanceBelowMicroRub: 10n ** 15n }, { adminId: 1 })
  await settings.set({ daysLeftBelow: undefined }, { adminId: 1 })
  await settings.set({ serviceFailures: false }, { adminId: 1 })
  await settings.set({ digestHour: 0 }, { adminId: 1 })

  expect(await createAlertSettings(database.prisma).read()).toEqual({
    ...initial,
    balanceBelowMicroRub: 10n ** 15n,
    daysLeftBelow: undefined,
    serviceFailures: false,
    digestHour: 0,
  })
})
