import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { createOrderStatus } from '../../../../src/bot/media/order/order-status.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { orderOf } from '../order-of.ts'

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
