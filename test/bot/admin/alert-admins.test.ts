import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { createAdminAlerts } from '../../../src/bot/admin/alert-admins.ts'
import { createNotifyAdmins } from '../../../src/bot/admin/notify-admins.ts'
import type { ProviderRefusal, Trouble } from '../../../src/bot/admin/service-troubles.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'

function setUp({
  claims,
  clock = systemClock,
  serviceFailures = true,
  isServiceInside = true,
  adminIds = [11, 12],
}: {
  claims: number[]
  clock?: Clock
  serviceFailures?: boolean
  isServiceInside?: boolean
  adminIds?: number[]
}) {
  const send = vi.fn(async (_message: { chatId: number; text: string }) => ({
    chatId: 1,
    messageId: 1,
  }))
  const names: unknown[] = []
  const prisma = {
    $executeRaw: async (_sql: TemplateStringsArray, name: string) => {
      names.push(name)
      return claims.shift()
    },
  }
  const log = pino({ level: 'silent' })
  const notifyAdmins = createNotifyAdmins({
    prisma: prisma as never,
    outbox: { send: send as never },
    roles: {
      admins: async () => adminIds.map((userId) => ({ userId, role: 'admin', languageCode: 'en' })),
    },
    log,
    signal: new AbortController().signal,
  })
  const alerts = createAdminAlerts({
    notifyAdmins,
    texts: createTexts(),
    settings: { read: async () => ({ serviceFailures }) as never },
    isServiceInside,
    clock,
    log,
  })
  return { send, names, alerts }
}

function refusalOf(failure: ProviderRefusal['failure']): ProviderRefusal {
  return {
    upstream: 'api.example.org',
    failure: { explanation: 'No such thing', ...failure },
    workedAt: new Date(0),
  }
}

test.each<[string, Trouble, string]>([
  ['a storage that takes nothing', 'storage_unavailable', 'can’t store'],
  [
    'a provider that takes nothing',
    { endpoint: 'images/imagegen-generate', ...refusalOf({ kind: 'unauthorized', status: 402 }) },
    'refuses every order at images/imagegen-generate',
  ],
  [
    'a price that is gone',
    { model: 'gpt-5', upstream: 'api.example.org', old: '1/2', next: undefined },
    'gpt-5 still sells at $1/2 (dollars per 1 million tokens in/out). api.example.org gives no valid price',
  ],
  [
    'a price that is too high',
    { model: 'gpt-5', upstream: 'api.example.org', old: '1/2', next: '4/8' },
    'now asks $4/8',
  ],
  [
    'charges that differ from the reported costs',
    { pricedModel: 'gpt-5', chargedMicroRub: 106_000_000n, reportedMicroRub: 100_000_000n },
    'gpt-5 was charged ₽106',
  ],
])('every admin is notified of %s, by one process', async (_name, trouble, words) => {
  const claims = [1, 0]
  const { send, alerts } = setUp({ claims })

  alerts.report(trouble)
  alerts.report(trouble)

  await expect.poll(() => send.mock.calls.length).toBe(2)
  expect(send.mock.calls.map(([{ chatId }]) => chatId)).toEqual([11, 12])
  expect(send.mock.calls[0]?.[0].text).toContain(words)
  expect(claims).toEqual([])
})

test.each([
  [{ kind: 'unauthorized', status: 401 }, 'status 401', 'key is wrong'],
  [{ kind: 'unauthorized', status: 402 }, 'status 402', 'no money left'],
  [{ kind: 'refused', status: 404 }, 'status 404', 'model’s name'],
])(
  'an alert about %o names model, upstream and words, and says what to do',
  async (failure, ...words) => {
    const { send, alerts } = setUp({ claims: [1] })

    alerts.report({ model: 'alpha', ...refusalOf(failure) })

    await expect.poll(() => send.mock.calls.length).toBe(2)
    const text = send.mock.calls[0]?.[0].text ?? ''
    for (const part of ['alpha', 'api.example.org', 'No such thing', ...words]) {
      expect(text).toContain(part)
    }
  },
)
