import { expect, test } from 'vitest'
import { createRunningTurns } from '../../../src/bot/reply/running-turns.ts'
import { createNotifications } from '../../../src/database/notifications.ts'
import { createManualClock, type ManualClock } from '../../manual-clock.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { ANNA, BORIS, createHouse, type House, type RunningBot } from '../house.ts'
import { ended, turns, until } from './ended.ts'
import { limit } from './limited.ts'

/** The service's minute and what the line adds to it. */
const MINUTE_MS = 61_000
const LOOKS_PER_MINUTE = 30
const FLOW_MS = 50

test('40 users against a limit of 10 a minute are all answered, ten by ten in the order of the line', async () => {
  const { house, clock } = await createMovedHouse()
  const service = limit(house, { perMinute: 10, clock, answer: greet })
  const bot = await house.startBot()
  const users = Array.from({ length: 40 }, (_, index) => 1000 + index)
  for (const id of users) house.playground.addUser({ id, firstName: 'User', languageCode: 'en' })

  for (const id of users) house.playground.userSends({ userId: id, text: String(id) })
  await flowUntil(clock, async () => waits(bot) === 30 && (await shown(house)) === 10)
  const placesOf = () => users.flatMap((id) => toPlace(lastSaid(house, id)) ?? [])
  // Who read a place before the whole burst was refused reads it again.
  await flowUntil(clock, async () => new Set(placesOf()).size === 30)
  const places = new Map(users.map((id) => [id, toPlace(lastSaid(house, id))]))
  const told = placesOf()
  for (let answered = 20; answered <= 40; answered += 10) {
    clock.advance(MINUTE_MS)
    // Beside the first ten there is a try, since the burst came in the first minute.
    await flowUntil(clock, async () => waits(bot) === 31 && (await shown(house)) === answered)
  }
  await ended(house, 40)

  expect(told.sort((one, other) => one - other)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  service.taken.forEach(({ prompt }, index) => {
    const place = places.get(Number(prompt)) ?? 0
    expect(Math.ceil(place / 10)).toBe(Math.floor(index / 10))
  })
  for (const id of users) expect(house.said(id)).toEqual([`Hello, ${id}!`])
  // Those of the burst that came before the limit was known, and the try.
  expect(service.refusals()).toBeLessThanOrEqual(31)
  expect(house.playground.calls.filter(({ status }) => status === 429)).toEqual([])
})

test('a burst of eight holds a newcomer up by one turn at most', async () => {
  const { house, clock } = await createMovedHouse()
  const service = limit(house, { perMinute: 2, clock, answer: greet })
  const bot = await house.startBot()
  for (let index = 1; index <= 8; index++) {
    house.playground.userSends({ userId: ANNA, text: `Anna ${index}` })
  }
  await flowUntil(clock, async () => waits(bot) === 1)
  house.playground.userSends({ userId: BORIS, text: 'Boris' })
  await until(async () => waits(bot) === 2)

  await moveUntil(clock, async () => (await shown(house)) === 9)
  await ended(house, 9)

  const before = service.taken.findIndex(({ prompt }) => prompt === 'Boris')
  expect(before).toBeLessThanOrEqual(3)
  const ofAnna = service.taken.map(({ prompt }) => prompt).filter((text) => text !== 'Boris')
  expect(ofAnna).toEqual(Array.from({ length: 8 }, (_, index) => `Anna ${index + 1}`))
})

test('the place and the wait stand where the reply will, and change as the line moves', async () => {
  const { house, clock } = await createMovedHouse()
  limit(house, { perMinute: 1, clock, answer: greet })
  const bot = await house.startBot()
  await occupy(house)
  house.playground.userSends({ userId: BORIS, text: 'Привет' })
  await until(async () => waits(bot) === 1)
  house.playground.userSends({ userId: ANNA, text: 'Hi' })
  await until(async () => waits(bot) === 2)

  clock.advance(1_000)
  await house.playground.waitFor(
    () => toPlace(lastSaid(house, BORIS)) === 1 && toPlace(lastSaid(house, ANNA)) === 2,
  )

  expect(lastSaid(house, BORIS)).toMatch(/^Сейчас много вопросов.*\n.*следующий.* \d+ (с|мин)\. /)
  expect(lastSaid(house, ANNA)).toMatch(/line: 2, about 2 min\. \/stop takes you out/)
  clock.advance(MINUTE_MS)
  await house.playground.waitFor(() => lastSaid(house, BORIS) === 'Hello, Привет!')
  await until(async () => waits(bot) === 3)
  clock.advance(6_000)
  await house.playground.waitFor(() => toPlace(lastSaid(house, ANNA)) === 1)
  clock.advance(MINUTE_MS)
  await ended(house, 3)

  expect(house.said(BORIS)).toEqual(['Hello, Привет!'])
  expect(house.said(ANNA)).toEqual(['Hello, first!', 'Hello, Hi!'])
})

test('/stop takes a waiting turn out of the line: it is never asked and costs nothing', async () => {
  const { house, clock } = await createMovedHouse()
  const service = limit(house, { perMinute: 1, clock, answer: greet })
  const bot = await house.startBot()
  await occupy(house)
  house.playground.userSends({ userId: BORIS, text: 'Stay' })
  await untilTold(bot, { house, clock })

  house.playground.userSends({ userId: BORIS, text: '/stop' })
  await house.playground.waitFor(() =>
    /Остановлено.*ничего не списано/.test(house.said(BORIS)[0] ?? ''),
  )
  await ended(house, 2)
  clock.advance(MINUTE_MS)
  house.playground.userSends({ userId: ANNA, text: 'after' })
  await ended(house, 3)

  expect(service.taken.map(({ prompt }) => prompt)).toEqual(['first', 'after'])
  expect((await turns(house))[1]).toMatchObject({ state: 'stopped', charge: [] })
})

test('a stop that another process hears takes a waiting turn out of the line', async () => {
  const { house, clock } = await createMovedHouse()
  const service = limit(house, { perMinute: 1, clock, answer: greet })
  const bot = await house.startBot()
  await occupy(house)
  house.playground.userSends({ userId: BORIS, text: 'Stay' })
  await untilTold(bot, { house, clock })
  const { prisma, pool } = house.database
  const notifications = createNotifications({ pool, onError: () => {} })
  const other = createRunningTurns({ prisma, notifications, onLeft: async () => {} })

  const outcome = await other.stop(
    { chatId: BORIS, threadId: 0 },
    { userId: BORIS, isAdmin: false },
  )
  await ended(house, 2)
  await until(async () => (await prisma.lineEntry.count({ where: { sentAt: null } })) === 0)
  clock.advance(MINUTE_MS)

  expect(outcome).toBe('stopped')
  expect(service.taken.map(({ prompt }) => prompt)).toEqual(['first'])
  expect((await turns(house))[1]).toMatchObject({ state: 'stopped', charge: [] })
})

test('/stop just before a refusal: the turn is not asked again', async () => {
  const { house, clock } = await createMovedHouse()
  await house.startBot()
  house.playground.userSends({ userId: BORIS, text: 'Hi' })
  const completion = await house.service.next()

  house.playground.userSends({ userId: BORIS, text: '/stop' })
  await until(async () => (await turns(house))[0]?.state === 'stopped')
  completion.refuse(429, {}, { 'retry-after': '1' })
  await ended(house)
  clock.advance(MINUTE_MS)

  expect(house.service.completions).toHaveLength(1)
  expect((await turns(house))[0]?.charge).toEqual([])
})

test.each(['stop', 'kill'] as const)(
  'a restart (%s) keeps a waiting turn, its message and its one answer',
  async (how) => {
    const { house, clock } = await createMovedHouse()
    const service = limit(house, { perMinute: 1, clock, answer: greet })
    const first = await house.startBot()
    await occupy(house)
    house.playground.userSends({ userId: BORIS, text: 'Hi' })
    await untilTold(first, { house, clock })
    await until(async () => (await turns(house))[1]?.messageIds.length === 1)

    if (how === 'stop') await first.stop(20_000)
    else first.kill()
    expect((await turns(house))[1]).toMatchObject({ state: 'streaming', charge: [] })
    const second = await house.startBot()
    await until(async () => waits(second) === 1)
    clock.advance(MINUTE_MS)
    await ended(house, 2)

    expect(house.said(BORIS)).toEqual(['Hello, Hi!'])
    expect(service.taken.map(({ prompt }) => prompt)).toEqual(['first', 'Hi'])
    expect((await turns(house))[1]).toMatchObject({
      state: 'finished',
      charge: [{ estimated: false }],
    })
  },
)

test('a message about the place whose sending has no known outcome is not repeated', async () => {
  const { house, clock } = await createMovedHouse()
  limit(house, { perMinute: 1, clock, answer: greet })
  const bot = await house.startBot()
  await occupy(house)
  house.playground.fault({ kind: 'dropAfter', method: 'sendMessage' })
  house.playground.userSends({ userId: BORIS, text: 'Hi' })

  await untilTold(bot, { house, clock })
  clock.advance(MINUTE_MS)
  await ended(house, 2)

  expect(house.said(BORIS)).toEqual([expect.stringContaining('очереди'), 'Hello, Hi!'])
})

test('deltas that come after /stop do not reach the message', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await house.service.next()
  completion.delta('Once upon')
  await house.playground.waitFor(() => house.said(ANNA)[0] === 'Once upon')
  const held = house.playground.fault({ kind: 'hold', method: 'editMessageText' })
  house.playground.userSends({ userId: ANNA, text: '/stop' })
  await house.playground.waitFor(() => held.hits === 1)

  completion.delta(' a time')
  completion.finish()
  await until(async () => (await turns(house))[0]?.charge.length === 1)
  held.release()
  await ended(house)

  expect(house.said(ANNA)).toContain('Once upon\n\n(Stopped.)')
})

async function createMovedHouse(): Promise<{ house: House; clock: ManualClock }> {
  const clock = createManualClock()
  return { house: await createHouse({ clock }), clock }
}

function greet(completion: OpenCompletion): void {
  completion.delta(`Hello, ${completion.prompt}!`)
  completion.finish()
}

/** Uses up a limit of one. */
async function occupy(house: House): Promise<void> {
  house.playground.userSends({ userId: ANNA, text: 'first' })
  await ended(house)
}

function shown({ database }: House): Promise<number> {
  return database.prisma.turn.count({ where: { endedAt: { not: null } } })
}

/** Lets time flow, as the calls to a chat need it, until it is so. */
async function flowUntil(clock: ManualClock, look: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    clock.advance(FLOW_MS)
    return look()
  })
}

/** Lets minute after minute pass until it is so. */
async function moveUntil(clock: ManualClock, look: () => Promise<boolean>): Promise<void> {
  let looks = 0
  await until(async () => {
    if (looks++ % LOOKS_PER_MINUTE === 0) clock.advance(MINUTE_MS)
    return look()
  })
}

/** How often a turn began to wait in a bot's line. */
function waits(bot: RunningBot): number {
  return bot.logged().split('turn waits in line').length - 1
}

/** Waits until Boris, the first in line, reads so. */
async function untilTold(
  bot: RunningBot,
  { house, clock }: { house: House; clock: ManualClock },
): Promise<void> {
  await until(async () => waits(bot) === 1)
  clock.advance(1_000)
  await house.playground.waitFor(() => toPlace(lastSaid(house, BORIS)) === 1)
}

/** The place that a message tells. */
function toPlace(text: string): number | undefined {
  if (/next in line|следующий в очереди/.test(text)) return 1
  const [, place] = /(?:in line|в очереди): (\d+)/.exec(text) ?? []
  return place === undefined ? undefined : Number(place)
}

function lastSaid(house: House, chatId: number): string {
  return house.said(chatId).at(-1) ?? ''
}
