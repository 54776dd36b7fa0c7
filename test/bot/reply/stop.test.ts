import { expect, test } from 'vitest'
import { createRunningTurns } from '../../../src/bot/reply/running-turns.ts'
import { createNotifications } from '../../../src/database/notifications.ts'
import { ANNA, BORIS, createHouse, type House } from '../house.ts'
import { press } from './buttons.ts'
import { ended, turns, until } from './ended.ts'
import { standDown } from './standing-down.ts'

test('/stop ends the message at once; the exact cost comes when the stream has run dry', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await house.service.next()
  completion.delta('Once upon')
  await house.playground.waitFor(() => house.said(ANNA).includes('Once upon'))

  house.playground.userSends({ userId: ANNA, text: '/stop' })
  await house.playground.waitFor(() => house.said(ANNA).includes('Once upon\n\n(Stopped.)'))
  await until(async () => (await turns(house))[0]?.endedAt !== null)
  expect((await turns(house))[0]?.charge).toEqual([])
  expect(completion.isOpen()).toBe(true)
  completion.delta(' a time')
  completion.finish({ costRub: 0.25 })
  await ended(house)

  expect(house.said(ANNA)).toContain('Once upon\n\n(Stopped.)')
  expect(await turns(house)).toMatchObject([
    {
      state: 'stopped',
      messages: [{ content: 'A long story' }, { content: 'Once upon', costMicroRub: 250_000n }],
      charge: [{ amountMicroRub: 250_000n, estimated: false }],
    },
  ])
})

test('the next message is answered while a stopped stream runs dry, with the text that was shown', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await house.service.next()
  one.delta('Half')
  await house.playground.waitFor(() => house.said(ANNA).includes('Half'))
  house.playground.userSends({ userId: ANNA, text: '/stop' })
  house.playground.userSends({ userId: ANNA, text: 'two' })

  const two = await house.service.next()
  two.delta('Two.')
  two.finish()
  await house.playground.waitFor(() => house.said(ANNA).includes('Two.'))
  one.delta(' and the rest')
  one.finish()
  await ended(house, 2)

  expect(two.request.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Half' },
    { role: 'user', content: 'two' },
  ])
})

test('/stop before the first word says so and leaves no answer in the history', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await house.service.next()

  house.playground.userSends({ userId: ANNA, text: '/stop' })
  await house.playground.waitFor(() => house.said(ANNA).includes('(Stopped.)'))
  one.finish()
  await ended(house)

  expect(await turns(house)).toMatchObject([{ state: 'stopped', messages: [{ content: 'one' }] }])
})

test('a stream that breaks after /stop costs the estimate', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await house.service.next()
  one.delta('Half')
  await house.playground.waitFor(() => house.said(ANNA).includes('Half'))

  house.playground.userSends({ userId: ANNA, text: '/stop' })
  await house.playground.waitFor(() => house.said(ANNA).includes('Half\n\n(Stopped.)'))
  one.cut()
  await ended(house)

  expect((await turns(house))[0]?.charge).toMatchObject([{ estimated: true }])
})

test('a crash while a stopped stream runs dry costs the estimate, once', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await house.service.next()
  one.delta('Half')
  await house.playground.waitFor(() => house.said(ANNA).includes('Half'))
  house.playground.userSends({ userId: ANNA, text: '/stop' })
  await until(async () => Boolean((await turns(house))[0]?.endedAt))
  first.kill()

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toContain('Half\n\n(Stopped.)')
  expect((await turns(house))[0]?.charge).toMatchObject([{ estimated: true }])
})

test.each(['Stop', '/stop'])('%s reaches a turn that another process runs', async (how) => {
  const house = await createHouse()
  await house.startBot()
  const other = await createOther(house)
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await house.service.next()
  completion.delta('Once upon')
  await house.playground.waitFor(() => house.said(ANNA).includes('Once upon'))
  const [turn] = await turns(house)
  const turnId = turn?.id ?? 0n

  const target = how === 'Stop' ? { chatId: ANNA, turnId } : { chatId: ANNA, threadId: 0 }
  expect(await other.stop(target, { userId: ANNA, isAdmin: false })).toBe('stopped')
  await house.playground.waitFor(() => house.said(ANNA).includes('Once upon\n\n(Stopped.)'))
  completion.finish()
  await ended(house)

  expect((await turns(house))[0]).toMatchObject({
    state: 'stopped',
    charge: [{ estimated: false }],
  })
})

test('a stop for a turn whose process has died waits for the next one', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  await house.service.next()
  first.kill()
  const other = await createOther(house)

  const place = { chatId: ANNA, threadId: 0 }
  expect(await other.stop(place, { userId: BORIS, isAdmin: false })).toBe('not_yours')
  expect(await other.stop(place, { userId: ANNA, isAdmin: false })).toBe('stopped')
  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual([expect.stringContaining('nothing was charged')])
  expect(house.service.completions).toHaveLength(1)
})

test('a stop that was asked for while nobody listened is caught up with', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await house.service.next()
  completion.delta('Once upon')
  await house.playground.waitFor(() => house.said(ANNA).includes('Once upon'))
  await house.database.prisma.turn.updateMany({ data: { stopRequestedAt: new Date() } })

  const listening = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE 'LISTEN %' AND datname = current_database()`
  await until(async () => (await house.database.pool.query(listening)).rowCount === 1)
  await house.playground.waitFor(() => house.said(ANNA).includes('Once upon\n\n(Stopped.)'))
  completion.finish()
  await ended(house)
})

test.each(['Stop', '/stop'])('%s ends a turn that something unexpected left', async (how) => {
  const house = await createHouse()
  await house.startBot()
  await leaveTurn(house, 'Half')

  if (how === 'Stop') await press(house, how)
  else house.playground.userSends({ userId: ANNA, text: how })
  await ended(house)

  expect(house.said(ANNA)).toContain('Half\n\n(Stopped.)')
  expect(await turns(house)).toMatchObject([{ state: 'stopped', charge: [{ estimated: true }] }])
})

test('/stop ends a turn that was left before its first word, for nothing', async () => {
  const house = await createHouse()
  await house.startBot()
  await leaveTurn(house, '')

  house.playground.userSends({ userId: ANNA, text: '/stop' })
  await ended(house)

  expect(house.said(ANNA)).toContainEqual(expect.stringContaining('nothing was charged'))
  expect(await turns(house)).toMatchObject([{ state: 'stopped', charge: [] }])
  expect(house.service.completions).toHaveLength(1)
})

/** Has the end of a turn fail, and its update count as handled. */
async function leaveTurn(house: House, shownText: string): Promise<void> {
  const standUp = await standDown(house, { code: 'P0001' })
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await house.service.next()
  completion.delta(shownText)
  await until(async () => (await turns(house))[0]?.shownText === shownText)
  completion.finish()
  await ended(house, 0)
  await standUp()
}

/** What another process has to stop turns with. */
async function createOther({ database }: House) {
  const notifications = createNotifications({ pool: database.pool, onError: () => {} })
  return createRunningTurns({ prisma: database.prisma, notifications, onLeft: async () => {} })
}
