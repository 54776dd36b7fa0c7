import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { createAdminAlerts } from '../../../src/bot/alerts/alert-admins.ts'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import { systemClock } from '../../../src/time/clock.ts'

test('every admin is told of a storage that takes nothing, by one process', async () => {
  const send = vi.fn(async (_message: { chatId: number; text: string }) => ({
    chatId: 1,
    messageId: 1,
  }))
  const claims = [1, 0]
  const prisma = { user: { findUnique: async () => null }, $executeRaw: async () => claims.shift() }
  const alerts = createAdminAlerts({
    prisma: prisma as never,
    outbox: { send: send as never },
    texts: createTexts(),
    adminIds: new Set([11, 12]),
    clock: systemClock,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  })

  alerts.report('storage_unavailable')
  alerts.report('storage_unavailable')

  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(2))
  expect(send.mock.calls.map(([{ chatId }]) => chatId)).toEqual([11, 12])
  expect(send.mock.calls[0]?.[0].text).toContain('cannot be stored')
  expect(claims).toEqual([])
})
