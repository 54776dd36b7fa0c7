import { expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../platform/time/manual-clock.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup, type RunningBot } from './bot-setup.ts'
import { ended } from './talk/turns/ended.ts'

const STORE = 'insert update, read update'
const MEET = 'insert user, read user'
/** Begins a turn, with its conversation, the format of its chat, its message, its user's counters, the record of its update and its slot. */
const BEGIN =
  'insert user, read conversation, insert conversation, read user, insert spender, read spender, insert turn, read chat, insert message, update update, read update, update service_gate, read queue_entry, read message'
const READ_HISTORY = ['read turn', 'read message']
const RESERVE =
  'read turn, read reservation, read spender, read spend_limit, read user, update shared_room, read shared_room, insert reservation, update spender, update turn'

/** Takes the buttons away from the answer before, a moment after the request. */
const TIDY = 'read turn, read user, read message, read charge'
/** The inbox looks by its own clock, and half a second after an update for what was just being stored, for all at once. */
const LOOK = 'read update, update update'

test('in a new chat four statements stand between an update and the request for its answer', async () => {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  const bot = await setup.startBot()
  await answerOne({ setup, bot, clock }, BORIS)

  const { untilAsked } = await answerOne({ setup, bot, clock }, ANNA)

  expect(untilAsked).toEqual([STORE, MEET, BEGIN, RESERVE])
})

test('in a chat that goes on it is five, and nine until its update is handled', async () => {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  const bot = await setup.startBot()
  await answerOne({ setup, bot, clock }, ANNA)

  const { untilAsked, afterwards } = await answerOne({ setup, bot, clock }, ANNA)

  expect(untilAsked).toEqual([STORE, BEGIN, ...READ_HISTORY, RESERVE])
  expect(afterwards.length, afterwards.join('\n')).toBeLessThanOrEqual(9)
})

interface Scene {
  setup: BotSetup
  bot: RunningBot
  clock: ManualClock
}

async function answerOne({ setup, bot, clock }: Scene, userId: number) {
  const { playground, service } = setup
  const { statements } = bot
  statements.clear()
  playground.userSends({ userId, text: 'Hello?' })
  const completion = await service.next()
  const asked = statements.kinds.length
  completion.answer('Hi.')
  const running = setInterval(() => clock.advance(100), 10)
  try {
    await ended(setup, service.completions.length)
    await expect.poll(() => statements.kinds).toContain(TIDY)
  } finally {
    clearInterval(running)
  }
  const kindsOf = (kinds: readonly string[]) => kinds.filter((kind) => kind !== LOOK)
  const { kinds } = statements
  return { untilAsked: kindsOf(kinds.slice(0, asked)), afterwards: kindsOf(kinds.slice(asked)) }
}
