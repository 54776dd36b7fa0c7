import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { createAdminAlerts } from '../../../src/bot/alerts/alert-admins.ts'
import { createNotifyAdmins } from '../../../src/bot/alerts/notify-admins.ts'
import type { ProviderRefusal, Trouble } from '../../../src/bot/alerts/service-troubles.ts'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import {
  ModelMisconfiguredError,
  NotThisServiceError,
  ServiceUnavailableError,
} from '../../../src/contract/client/errors.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

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

// Promise: The disk is full, or the bucket takes nothing
// Promise: A provider refuses a creation for reasons of its own: 401, 402, 403, no task id in its answer
test.each<[string, Trouble, string]>([
  ['a storage that takes nothing', 'storage_unavailable', 'can’t store'],
  [
    'a provider that takes nothing',
    { endpoint: 'images/imagegen-generate', ...refusalOf({ kind: 'unauthorized', status: 402 }) },
    'refuses every order at images/imagegen-generate',
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

// Promise: An upstream takes no request of ours: a wrong key, no money, no rights, a model that is not there
test.each([
  [{ kind: 'unauthorized', status: 401 }, 'status 401', 'key is wrong'],
  [{ kind: 'unauthorized', status: 402 }, 'status 402', 'no money left'],
  [{ kind: 'unauthorized', status: 429 }, 'status 429', 'no money left'],
  [{ kind: 'unauthorized', status: 403 }, 'status 403', 'no right'],
  [{ kind: 'refused', status: 404 }, 'status 404', 'model’s name'],
  [{ kind: 'unauthorized' }, 'answer as', 'key is wrong'],
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

test('a key is one alert for all models of an upstream, and a name one for each', async () => {
  const { names, alerts } = setUp({ claims: [] })

  for (const model of ['alpha', 'beta']) {
    alerts.report({ model, ...refusalOf({ kind: 'unauthorized', status: 401 }) })
    alerts.report({ model, ...refusalOf({ kind: 'refused', status: 404 }) })
  }

  await expect.poll(() => names.length).toBe(4)
  expect(new Set(names).size).toBe(3)
})

test('a model that a remote service has not set up right is reported; one inside reports it by itself', async () => {
  const error = new ModelMisconfiguredError('No', { status: 503 })
  const inside = setUp({ claims: [1] })
  const outside = setUp({ claims: [1], isServiceInside: false })

  inside.alerts.observe('chat', error, 'alpha')
  outside.alerts.observe('chat', error, 'alpha')

  await expect.poll(() => outside.send.mock.calls.length).toBe(2)
  expect(outside.send.mock.calls[0]?.[0].text).toContain('alpha')
  expect(inside.names).toEqual([])
})

test('what is known of another server at the address is one alert, whoever finds it out', async () => {
  const { send, names, alerts } = setUp({ claims: [1, 0] })

  alerts.report('service_is_openai')
  alerts.observe('chat', new NotThisServiceError('No', { status: 404 }), 'alpha')

  await expect.poll(() => send.mock.calls.length).toBe(2)
  await expect.poll(() => names).toEqual(['not_this_service', 'not_this_service'])
  expect(send.mock.calls[0]?.[0].text).toContain('set OPENAI_BASE_URL and OPENAI_API_KEY')
})

test('what was found out while there was no admin is left to be reported to the first one', async () => {
  const { names, alerts } = setUp({ claims: [1], adminIds: [] })

  alerts.report('service_is_openai')
  await new Promise(setImmediate)

  expect(names).toEqual([])
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
