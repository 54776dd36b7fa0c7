import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Call, createPacerSetup } from './pacer-setup.ts'

const GROUPS = [-1, -2]
const CHATS = [...GROUPS, ...Array.from({ length: 30 }, (_, index) => index + 1)]

/** The time of one call of thirty in a second, each for as long as its answer takes besides. */
const CALL_MS = 1030 / 30

const order = fc.record({
  at: fc.integer({ min: 0, max: 20_000 }),
  chatId: fc.constantFrom(...CHATS),
  kind: fc.constantFrom('send', 'final', 'edit', 'edit', 'typing'),
  latencyMs: fc.integer({ min: 0, max: 400 }),
  onTheWay: fc.constantFrom(0, 0.1, 0.5, 0.9, 1),
})

test('no order of calls breaks a limit, loses what must arrive or overtakes it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(order, { minLength: 100, maxLength: 400, size: 'max' }),
      async (orders) => {
        const setup = createPacerSetup()
        const { clock, calls } = setup
        const sorted = orders
          .map((one, index) => ({ ...one, name: `${index}` }))
          .sort((a, b) => a.at - b.at)

        for (const { at, chatId, kind, latencyMs, onTheWay, name } of sorted) {
          await clock.run(at - clock.now())
          if (kind === 'typing') void setup.addTyping(chatId)
          else void setup.add({ chatId, kind, latencyMs, onTheWay, name })
        }
        await clock.run(600_000)

        const lasting = sorted.filter(({ kind }) => kind === 'send' || kind === 'final')
        for (const chatId of CHATS) {
          const made = calls.filter((call) => call.chatId === chatId)
          const asked = lasting.filter((one) => one.chatId === chatId)
          expect(namesOf(made.filter(({ interim }) => !interim))).toEqual(namesOf(asked))
          expectOneAtATime(made)
          if (chatId < 0) expectAtMost(20, 60_000, made)
          else expectPaced(made)
        }
        expectAtMost(30, 1000, calls)
      },
    ),
    { numRuns: 15 },
  )
})

test('two hundred open replies are refreshed evenly, the stalest first', async () => {
  const setup = createPacerSetup()
  const chats = Array.from({ length: 200 }, (_, index) => index + 1)
  for (const chatId of chats) setup.keepEditing(chatId)

  await setup.clock.run(60_000)

  const physicalMs = (200 / 30) * 1000
  for (const chatId of chats) {
    const at = setup.calls.filter((call) => call.chatId === chatId).map((call) => call.at)
    const gaps = at.slice(1).map((instant, index) => instant - (at[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThan(1.3 * physicalMs)
    expect(at.length).toBeGreaterThan(60_000 / (1.3 * physicalMs) - 1)
  }
})

test('a new message goes within one slot of the scheduler while two hundred replies grow', async () => {
  const setup = createPacerSetup()
  for (let chatId = 1; chatId <= 200; chatId += 1) setup.keepEditing(chatId)
  await setup.clock.run(10_000)

  const askedAt = new Map<number, number>()
  for (let chatId = 301; chatId <= 340; chatId += 1) {
    askedAt.set(chatId, setup.clock.now())
    void setup.add({ chatId, kind: 'send', latencyMs: 30, name: 'first' })
    await setup.clock.run(45)
  }

  const firsts = setup.calls.filter(({ name }) => name === 'first')
  expect(firsts).toHaveLength(40)
  for (const { chatId, at } of firsts) {
    expect(at - (askedAt.get(chatId) ?? 0)).toBeLessThanOrEqual(CALL_MS)
  }
})

test('nobody waits long for the end of a reply while most of two hundred end and the others grow', async () => {
  const setup = createPacerSetup()
  for (let chatId = 1; chatId <= 200; chatId += 1) setup.keepEditing(chatId)
  await setup.clock.run(20_000)

  const endedAt = new Map<number, number>()
  for (let chatId = 1; chatId <= 180; chatId += 1) {
    endedAt.set(chatId, setup.clock.now())
    setup.finish(chatId)
    await setup.clock.run(90)
  }
  await setup.clock.run(10_000)

  const finals = setup.calls.filter(({ name }) => name === 'final')
  const waits = finals.map(({ chatId, at }) => at - (endedAt.get(chatId) ?? 0))
  expect(waits).toHaveLength(180)
  expect(Math.max(...waits)).toBeLessThan(2_500)
})

test.each([
  [1, 1000],
  [-1, 1400],
])(
  'edits of chat %i arrive at least %i ms apart, however long each is on its way',
  async (chatId, gapMs) => {
    const setup = createPacerSetup()
    const onTheWays = [1, 0, 0.5, 0.9, 0]
    const edit = (index: number) => {
      const onTheWay = onTheWays[index % onTheWays.length] ?? 0
      const made = setup.add({ chatId, kind: 'edit', latencyMs: 24, onTheWay, name: `${index}` })
      void made.then(() => setup.clock.sleep(50)).then(() => edit(index + 1))
    }

    edit(0)
    await setup.clock.run(60_000)

    const arrivals = setup.calls.map(({ arrivedAt }) => arrivedAt)
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0))
    expect(gaps.length).toBeGreaterThan(10)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gapMs)
  },
)

test('one chat with a hundred messages holds up nobody else', async () => {
  const setup = createPacerSetup()
  for (let index = 0; index < 100; index += 1) {
    void setup.add({ chatId: 1, kind: 'final', latencyMs: 10, name: `${index}` })
  }
  for (const chatId of [2, 3, 4])
    void setup.add({ chatId, kind: 'final', latencyMs: 10, name: 'x' })

  await setup.clock.run(100)

  expect(new Set(setup.calls.map(({ chatId }) => chatId))).toEqual(new Set([1, 2, 3, 4]))
})

test('a hand-over halves what one process may use', async () => {
  const setup = createPacerSetup({ share: () => 0.5 })
  for (let chatId = 1; chatId <= 200; chatId += 1) setup.keepEditing(chatId)

  await setup.clock.run(30_000)

  expectAtMost(15, 1000, setup.calls)
  expect(setup.calls.length).toBeGreaterThan(30 * 12)
})

test('a chat goes on more slowly after a flood wait, and the others as before', async () => {
  const setup = createPacerSetup()
  for (const chatId of [1, 2]) setup.keepEditing(chatId)
  await setup.clock.run(10_000)
  setup.floodNext(1, 20_000)
  await setup.clock.run(1000)
  const floodedAt = setup.calls.findLast(({ chatId }) => chatId === 1)?.at ?? 0

  await setup.clock.run(79_000)
  await setup.clock.run(60_000)

  const after = (chatId: number) =>
    setup.calls.filter((call) => call.chatId === chatId && call.at > floodedAt)
  const [next] = after(1)
  expect(next?.at).toBeGreaterThanOrEqual(floodedAt + 20_000)
  const slow = after(1).filter(({ at }) => at < floodedAt + 80_000)
  expect(slow.length).toBeLessThanOrEqual(31)
  const usual = after(1).filter(({ at }) => at > floodedAt + 85_000 && at < floodedAt + 115_000)
  expect(usual.length).toBeGreaterThan(25)
  const others = after(2).filter(({ at }) => at < floodedAt + 60_000)
  expect(others.length).toBeGreaterThan(55)
})

test('three quiet chats refused in a row stop everything for as long as Telegram asks', async () => {
  const setup = createPacerSetup()
  for (const chatId of [1, 2, 3]) {
    setup.floodNext(chatId, 30_000)
    void setup.add({ chatId, kind: 'final', latencyMs: 0, name: 'refused' })
  }
  await setup.clock.run(100)
  const calls = setup.calls.length

  void setup.add({ chatId: 4, kind: 'final', latencyMs: 0, name: 'other' })
  await setup.clock.run(29_000)
  expect(setup.calls).toHaveLength(calls)
  await setup.clock.run(5000)

  expect(setup.calls.map(({ chatId }) => chatId).toSorted()).toEqual([1, 1, 2, 2, 3, 3, 4])
})

function namesOf(calls: readonly { name: string }[]): string[] {
  return calls.map(({ name }) => name)
}

function expectOneAtATime(calls: readonly Call[]): void {
  for (const [index, { at }] of calls.entries()) {
    expect(at).toBeGreaterThanOrEqual(calls[index - 1]?.endedAt ?? 0)
  }
}

function expectAtMost(count: number, windowMs: number, calls: readonly Call[]): void {
  const arrivals = calls.map(({ arrivedAt }) => arrivedAt).sort((one, other) => one - other)
  for (const [index, at] of arrivals.entries()) {
    const later = arrivals[index + count]
    if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(windowMs)
  }
}

/** One a second, and three at once, where they arrive. */
function expectPaced(calls: readonly Call[]): void {
  for (const [first, { arrivedAt }] of calls.entries()) {
    for (const [last, call] of calls.entries()) {
      const count = last - first + 1
      const gapMs = call.arrivedAt - arrivedAt
      if (count > 3) expect(gapMs).toBeGreaterThanOrEqual((count - 3) * 1000 - 1e-6)
    }
  }
}
