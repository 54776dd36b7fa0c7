import { expect, test } from 'vitest'
import type { Alerts, ProviderRefusal, Trouble } from '../../../src/bot/admin/alerts.ts'
import { ServiceError } from '../../../src/contract/client/service-error.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, BORIS, createBotSetup } from '../bot-setup.ts'
import { ended } from '../conversations/ended.ts'
import { ADMINS, createAlertsSetup, HOUR_MS } from './alerts-setup.ts'

function refusalOf(failure: ProviderRefusal['failure']): ProviderRefusal {
  return {
    upstream: 'api.example.org',
    failure: { explanation: 'No such thing', ...failure },
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
])('every admin is notified of %s, by one of two processes', async (_name, trouble, words) => {
  const { one, other, sent, takeTexts } = await createAlertsSetup()

  one.alerts.report(trouble)
  other.alerts.report(trouble)

  await expect.poll(() => sent.map(({ chatId }) => chatId)).toEqual(ADMINS)
  expect(takeTexts()[0]).toContain(words)
})

test.each([
  [{ kind: 'unauthorized', status: 401 }, 'status 401', 'key is wrong'],
  [{ kind: 'unauthorized', status: 402 }, 'status 402', 'no money left'],
  [{ kind: 'refused', status: 404 }, 'status 404', 'model’s name'],
])(
  'an alert about %o names model, upstream and words, and says what to do',
  async (failure, ...words) => {
    const { one, sent, takeTexts } = await createAlertsSetup()

    one.alerts.report({ model: 'alpha', ...refusalOf(failure) })

    await expect.poll(() => sent.length).toBe(2)
    const [text] = takeTexts()
    for (const part of ['alpha', 'api.example.org', 'No such thing', ...words]) {
      expect(text).toContain(part)
    }
  },
)

test('a service that is away is reported when nothing else was heard for a minute', async () => {
  const { one, processClock, sent } = await createAlertsSetup()
  const away = new ServiceError('service_unavailable', 'The service is away')

  one.alerts.observe('chat', away)
  processClock.advance(60_000)
  one.alerts.observe('chat', undefined)
  one.alerts.observe('chat', away)
  processClock.advance(60_001)
  expect(sent).toEqual([])
  one.alerts.observe('chat', away)

  await expect.poll(() => sent.length).toBe(2)
})

test('of processes that find a trouble, one reports it in an hour, and one of another trouble', async () => {
  const { processes, clock, takeTexts } = await createAlertsSetup()
  const notify = async (alert: Partial<Parameters<Alerts['notify']>[0]> = {}) => {
    const write = () => alert.name ?? 'one'
    await Promise.all(
      processes.map(({ alerts }) => alerts.notify({ name: 'one', write, ...alert })),
    )
    return takeTexts()
  }

  expect(await notify()).toEqual(['one', 'one'])
  await clock.advance(HOUR_MS)
  expect(await notify()).toEqual([])
  expect(await notify({ name: 'other' })).toEqual(['other', 'other'])
  await clock.advance(1)
  expect(await notify()).toEqual(['one', 'one'])
})

test('an admin reads once in an hour what users run into, in the language of the admin', async () => {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  await setup.startBot({ adminIds: new Set([BORIS]) })
  setup.service.onCompletion((completion) => completion.refuse(402))

  for (let count = 1; count <= 3; count++) {
    setup.playground.userSends({ userId: ANNA, text: '?' })
    await ended(setup, count)
    if (count === 1) await setup.playground.waitFor(() => setup.textsIn(BORIS).length === 1)
    // Long enough for the next messages to the chat to be let through.
    clock.advance(10_000)
  }
  setup.playground.userSends({ userId: BORIS, text: '?' })
  await ended(setup, 4)
  await setup.passTime(HOUR_MS)
  setup.playground.userSends({ userId: ANNA, text: '?' })
  await ended(setup, 5)
  await setup.playground.waitFor(() => setup.textsIn(BORIS).length === 3)

  expect(setup.textsIn(ANNA)).toHaveLength(4)
  expect(setup.textsIn(BORIS)).toEqual([
    expect.stringMatching(/^For admins: .*too little money/),
    expect.stringMatching(/не хватает денег.*Ничего не списано/),
    expect.stringMatching(/^Администраторам: .*не хватает денег/),
  ])
})
