import { expect, test } from 'vitest'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { createManualClock, type ManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup, type RunningBot } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { ended, turns, until } from './ended.ts'

const MINUTE_MS = 60_000
/** The minute of the queue, a second longer than that of the service. */
const WINDOW_MS = 61_000
const FLOW_MS = 50

interface LimitedService {
  taken: OpenCompletion[]
  refusals(): number
}

test('40 users against a limit of 10 a minute are all answered, ten by ten in the order of the queue', async () => {
  const { setup, clock, passMinute } = await createScene({ perMinute: 10 })
  const service = limit(setup, { perMinute: 10, clock, answer: greet })
  const bot = await setup.startBot()
  const users = Array.from({ length: 40 }, (_, index) => 1000 + index)
  for (const id of users) setup.playground.addUser({ id, firstName: 'User', languageCode: 'en' })

  for (const id of users) setup.playground.userSends({ userId: id, text: String(id) })
  await flowUntil(clock, async () => waits(bot) === 30 && (await shown(setup)) === 10)
  const placesOf = () => users.flatMap((id) => toPlace(lastText(setup, id)) ?? [])
  await flowUntil(clock, async () => new Set(placesOf()).size === 30)
  const places = new Map(users.map((id) => [id, toPlace(lastText(setup, id))]))
  const shownPlaces = placesOf()
  for (let answered = 20; answered <= 40; answered += 10) {
    await passMinute()
    await flowUntil(clock, async () => (await shown(setup)) === answered)
  }
  await ended(setup, 40)

  expect(shownPlaces.sort((one, other) => one - other)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  service.taken.forEach(({ prompt }, index) => {
    const place = places.get(Number(prompt)) ?? 0
    expect(Math.ceil(place / 10)).toBe(Math.floor(index / 10))
  })
  for (const id of users) expect(setup.textsIn(id)).toEqual([`Hello, ${id}!`])
  expect(service.refusals()).toBe(0)
  expect(setup.playground.calls.filter(({ status }) => status === 429)).toEqual([])
})

test('the position and the wait stand where the reply will, and change as the queue moves', async () => {
  const { setup, clock, passMinute } = await createScene({ perMinute: 1 })
  limit(setup, { perMinute: 1, clock, answer: greet })
  const bot = await setup.startBot()
  await occupy(setup)
  setup.playground.userSends({ userId: BORIS, text: 'Привет' })
  await until(async () => waits(bot) === 1)
  setup.playground.userSends({ userId: ANNA, text: 'Hi' })
  await until(async () => waits(bot) === 2)

  clock.advance(1_000)
  await setup.playground.waitFor(
    () => toPlace(lastText(setup, BORIS)) === 1 && toPlace(lastText(setup, ANNA)) === 2,
  )

  expect(lastText(setup, BORIS)).toMatch(/^Сейчас много вопросов.*\n.*следующий.* \d+ (с|мин)\. /)
  expect(lastText(setup, ANNA)).toMatch(/queue: 2, about 2 min\. To leave it: \/stop/)
  await passMinute()
  await setup.playground.waitFor(() => lastText(setup, BORIS) === 'Hello, Привет!')
  clock.advance(6_000)
  await setup.playground.waitFor(() => toPlace(lastText(setup, ANNA)) === 1)
  await passMinute()
  await ended(setup, 3)

  expect(setup.textsIn(BORIS)).toEqual(['Hello, Привет!'])
  expect(setup.textsIn(ANNA)).toEqual(['Hello, first!', 'Hello, Hi!'])
})

test('/stop takes a waiting turn out of the queue: it is never asked and costs nothing', async () => {
  const { setup, clock, passMinute } = await createScene({ perMinute: 1 })
  const service = limit(setup, { perMinute: 1, clock, answer: greet })
  const bot = await setup.startBot()
  await occupy(setup)
  setup.playground.userSends({ userId: BORIS, text: 'Stay' })
  await untilShown(bot, { setup, clock })

  setup.playground.userSends({ userId: BORIS, text: '/stop' })
  await setup.playground.waitFor(() =>
    /Остановлено.*Ничего не списано/.test(setup.textsIn(BORIS)[0] ?? ''),
  )
  await ended(setup, 2)
  await passMinute()
  setup.playground.userSends({ userId: ANNA, text: 'after' })
  await ended(setup, 3)

  expect(service.taken.map(({ prompt }) => prompt)).toEqual(['first', 'after'])
  expect((await turns(setup))[1]).toMatchObject({ state: 'stopped', charge: [] })
})

test('a turn that /stop ended just before a refusal is not asked again', async () => {
  const { setup, passMinute } = await createScene({ perMinute: 1 })
  await setup.startBot()
  setup.playground.userSends({ userId: BORIS, text: 'Hi' })
  const completion = await setup.service.next()

  setup.playground.userSends({ userId: BORIS, text: '/stop' })
  await until(async () => (await turns(setup))[0]?.state === 'stopped')
  completion.refuse(429, {}, { 'retry-after': '1' })
  await ended(setup)
  await passMinute()

  expect(setup.service.completions).toHaveLength(1)
  expect((await turns(setup))[0]?.charge).toEqual([])
})

test.each(['stop', 'kill'] as const)(
  'a restart (%s) keeps a waiting turn, its message and its one answer',
  async (how) => {
    const { setup, clock, passMinute } = await createScene({ perMinute: 1 })
    const service = limit(setup, { perMinute: 1, clock, answer: greet })
    const first = await setup.startBot()
    await occupy(setup)
    setup.playground.userSends({ userId: BORIS, text: 'Hi' })
    await untilShown(first, { setup, clock })
    await until(async () => (await turns(setup))[1]?.messageIds.length === 1)

    if (how === 'stop') await first.stop(20_000)
    else await first.kill()
    expect((await turns(setup))[1]).toMatchObject({ state: 'waiting', charge: [] })
    const second = await setup.startBot()
    await until(async () => waits(second) === 1)
    await passMinute()
    await ended(setup, 2)

    expect(setup.textsIn(BORIS)).toEqual(['Hello, Hi!'])
    expect(service.taken.map(({ prompt }) => prompt)).toEqual(['first', 'Hi'])
    expect((await turns(setup))[1]).toMatchObject({
      state: 'finished',
      charge: [{ estimated: false }],
    })
  },
)

/**
 * Gives the setup's service a limit of so many requests in any minute, as the real one has it.
 *
 * @param answer Called with each request that is taken.
 */
function limit(
  { service }: BotSetup,
  {
    perMinute,
    clock,
    answer,
  }: { perMinute: number; clock: Clock; answer: (completion: OpenCompletion) => void },
): LimitedService {
  const taken: OpenCompletion[] = []
  const instants: number[] = []
  let refusals = 0
  service.onCompletion((completion) => {
    const blocking = instants.at(-perMinute)
    const waitMs = blocking === undefined ? 0 : blocking + MINUTE_MS - clock.now()
    if (waitMs > 0) {
      refusals++
      const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) }
      completion.refuse(429, { detail: 'slow down' }, headers)
      return
    }
    instants.push(clock.now())
    taken.push(completion)
    answer(completion)
  })
  return { taken, refusals: () => refusals }
}

async function createScene({ perMinute }: { perMinute: number }) {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock, chatsPerMinute: perMinute })
  return { setup, clock, passMinute: () => setup.passTime(WINDOW_MS) }
}

function greet(completion: OpenCompletion): void {
  completion.answer(`Hello, ${completion.prompt}!`)
}

async function occupy(setup: BotSetup): Promise<void> {
  setup.playground.userSends({ userId: ANNA, text: 'first' })
  await ended(setup)
}

function shown({ database }: BotSetup): Promise<number> {
  return database.prisma.turn.count({ where: { endedAt: { not: null } } })
}

async function flowUntil(clock: ManualClock, look: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    clock.advance(FLOW_MS)
    return look()
  })
}

function waits(bot: RunningBot): number {
  return bot.logged().split('turn waits in the queue').length - 1
}

async function untilShown(
  bot: RunningBot,
  { setup, clock }: { setup: BotSetup; clock: ManualClock },
): Promise<void> {
  await until(async () => waits(bot) === 1)
  clock.advance(1_000)
  await setup.playground.waitFor(() => toPlace(lastText(setup, BORIS)) === 1)
}

function toPlace(text: string): number | undefined {
  if (/next in the queue|следующий в очереди/.test(text)) return 1
  const [, place] = /(?:in the queue|в очереди): (\d+)/.exec(text) ?? []
  return place === undefined ? undefined : Number(place)
}

function lastText(setup: BotSetup, chatId: number): string {
  return setup.textsIn(chatId).at(-1) ?? ''
}
