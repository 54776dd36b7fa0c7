import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { createOrderStatus } from '../../../../src/bot/media/order/order-status.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { orderOf } from '../order-of.ts'

const MINUTE_MS = 60_000
const STATUS_MS = 15_000

function createSetup() {
  const clock = createManualClock()
  const edits: string[] = []
  const dueInMs: (number | null)[] = []
  let outcome: 'shown' | 'dropped' = 'shown'
  const status = createOrderStatus({
    store: {
      setStatusMessage: async (order) => order,
      setStatusDue: async (_order, inMs) => void dueInMs.push(inMs),
    },
    outbox: {
      send: async ({ chatId }) => ({ chatId, messageId: 50 }),
      edit: async () => 'shown',
      remove: async () => {},
      editInterim: async (_target, source) => {
        edits.push(String(source))
        return outcome
      },
    },
    texts: createTexts(),
    cancelMs: 3_000,
    statusMs: STATUS_MS,
    clock,
    log: pino({ level: 'silent' }),
  })
  const drops = () => {
    outcome = 'dropped'
  }
  return { status, clock, edits, dueInMs, drops }
}

test('a queue position is shown when it changes, at most every 15 s', async () => {
  const { status, clock, edits } = createSetup()
  const followed = status.follow(orderOf())
  const positions = [3, 3, 2, 1].map((position) => ({
    position,
    waitMs: position * 20_000,
    isAway: false,
  }))

  for (const position of positions) {
    followed.show(position)
    await followed.settled()
    clock.advance(STATUS_MS / 3)
  }
  expect(followed.freeInMs()).toBe((STATUS_MS * 2) / 3)

  expect(edits.map((text) => text.split('\n')[1])).toEqual([
    'Place in the queue: 3, about 1 min. Only a few orders a minute can be taken.',
    'You’re next in the queue, about 20 s. Only a few orders a minute can be taken.',
  ])
})

test('a position that could not be shown is shown again', async () => {
  const { status, clock, edits, drops } = createSetup()
  const followed = status.follow(orderOf())
  drops()

  followed.show({ position: 2, waitMs: 20_000, isAway: false })
  await followed.settled()
  clock.advance(STATUS_MS)
  followed.show({ position: 2, waitMs: 20_000, isAway: false })

  expect(edits).toHaveLength(2)
})

test.each([
  [0, 60, 'The clip is being made. This usually takes 5–15 minutes; I’ll write when it’s ready.'],
  [59, 15, 'The clip is being made. This usually takes 5–15 minutes; I’ll write when it’s ready.'],
  [60, 60, 'The clip is being made: 1 of about 5–15 minutes.'],
  [200, 40, 'The clip is being made: 3 of about 5–15 minutes.'],
  [
    900,
    300,
    'The clip has been in the making for 15 min; most take 5–15. I’ll write when it’s ready.',
  ],
  [
    1_500 + 60,
    240,
    'The clip has been in the making for 25 min; most take 5–15. I’ll write when it’s ready.',
  ],
])('a clip that has been made for %d s is shown again in %d s', async (madeForS, dueInS, words) => {
  const { status, edits, dueInMs } = createSetup()
  const order = orderOf({ state: 'generating', madeForMs: () => madeForS * 1000 })

  await status.refresh(order)

  expect(edits).toEqual([`5 s, 720p, horizontal — ₽40.00\n${words}`])
  expect(dueInMs).toEqual([dueInS * 1000])
})

test('a picture that is being made is shown once', async () => {
  const { status, edits, dueInMs } = createSetup()
  const order = orderOf({ kind: 'image', params: { prompt: 'a fox' }, state: 'generating' })

  await status.refresh(order)

  expect(edits).toEqual([
    'picture, square — ₽40.00\nThe picture is being made. This takes a moment.',
  ])
  expect(dueInMs).toEqual([null])
})

test('minutes that could not be shown are shown 15 s later', async () => {
  const { status, dueInMs, drops } = createSetup()
  drops()

  await status.refresh(orderOf({ state: 'generating', madeForMs: () => 3 * MINUTE_MS }))

  expect(dueInMs).toEqual([STATUS_MS])
})
