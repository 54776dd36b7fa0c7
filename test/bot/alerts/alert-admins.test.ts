import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { createAdminAlerts } from '../../../src/bot/alerts/alert-admins.ts'
import { createNotifyAdmins } from '../../../src/bot/alerts/notify-admins.ts'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import { ServiceUnavailableError } from '../../../src/contract/client/errors.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

function setUp({
  claims,
  clock = systemClock,
  serviceFailures = true,
}: {
  claims: number[]
  clock?: Clock
  serviceFailures?: boolean
}) {
  const send = vi.fn(async (_message: { chatId: number; text: string }) => ({
    chatId: 1,
    messageId: 1,
  }))
  const prisma = { $executeRaw: async () => claims.shift() }
  const log = pino({ level: 'silent' })
  const notifyAdmins = createNotifyAdmins({
    prisma: prisma as never,
    outbox: { send: send as never },
    roles: {
      admins: async () => [11, 12].map((userId) => ({ userId, role: 'admin', languageCode: 'en' })),
    },
    log,
    signal: new AbortController().signal,
  })
  const alerts = createAdminAlerts({
    notifyAdmins,
    texts: createTexts(),
    settings: { read: async () => ({ serviceFailures }) as never },
    clock,
    log,
  })
  return { send, alerts }
}

// Promise: The disk is full, or the bucket takes nothing
// Promise: A provider refuses a creation for reasons of its own: 401, 402, 403, no task id in its answer
test.each([
  ['a storage that takes nothing', 'storage_unavailable', 'can’t store'],
  ['a provider that takes nothing', 'provider_refused', 'refuses to make'],
] as const)('every admin is notified of %s, by one process', async (_name, trouble, words) => {
  const claims = [1, 0]
  const { send, alerts } = setUp({ claims })

  alerts.report(trouble)
  alerts.report(trouble)

  await expect.poll(() => send.mock.calls.length).toBe(2)
  expect(send.mock.calls.map(([{ chatId }]) => chatId)).toEqual([11, 12])
  expect(send.mock.calls[0]?.[0].text).toContain(words)
  expect(claims).toEqual([])
})

test('a service that is away for clips is reported, although it answers chats', async () => {
  const clock = createManualClock()
  const { send, alerts } = setUp({ claims: [1], clock })
  const away = new ServiceUnavailableError('Away', { status: 503 })

  alerts.observe('video', away)
  clock.advance(60_001)
  alerts.observe('chat', undefined)
  alerts.observe('video', away)

  await expect.poll(() => send.mock.calls.length).toBe(2)
})

test('a service that fails is not reported where admins do not want it', async () => {
  const claims = [1]
  const { send, alerts } = setUp({ claims, serviceFailures: false })

  alerts.report('unauthorized')
  await new Promise(setImmediate)

  expect(send).not.toHaveBeenCalled()
  expect(claims).toEqual([1])
})
