import { expect, onTestFinished, test } from 'vitest'
import { claimAlert } from '../../../src/bot/admin/notify-admins.ts'
import { createServiceTroubles } from '../../../src/bot/admin/service-troubles.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, BORIS, createBotSetup } from '../bot-setup.ts'
import { ended } from '../conversations/ended.ts'

const HOUR_MS = 3600_000

test('a service that is away is reported when nothing else was heard for a minute', () => {
  const troubles = createServiceTroubles()
  const code = 'service_unavailable'

  expect(troubles.observe(code, 0)).toBeUndefined()
  expect(troubles.observe(code, 60_000)).toBeUndefined()
  expect(troubles.observe(code, 60_001)).toBe(code)
})

test('of processes that hear of a trouble at once, or after a restart, one reports it in an hour', async () => {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  await clock.stopAt(new Date(0))
  const [one, two] = [url, url].map((at) => openTestDatabase({ url: at, connectionsMax: 2 }))
  onTestFinished(async () => void (await Promise.all([one?.close(), two?.close()])))
  const claim = (name = 'unauthorized') =>
    Promise.all([one, two].map((database) => database && claimAlert({ name }, database)))

  expect((await claim()).toSorted()).toEqual([false, true])
  await clock.advance(HOUR_MS - 1)
  expect(await claim()).toEqual([false, false])
  expect((await claim('service_unavailable')).toSorted()).toEqual([false, true])
  await clock.advance(1)
  expect((await claim()).toSorted()).toEqual([false, true])
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
