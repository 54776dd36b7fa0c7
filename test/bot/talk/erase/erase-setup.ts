import { expect } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createEraseUser } from '../../../../src/bot/talk/erase/erase-user.ts'
import { createFastClock } from '../../../platform/time/fast-clock.ts'
import { BORIS, type BotSetup, createBotSetup, type RunningBot } from '../../bot-setup.ts'
import { until } from '../turns/ended.ts'

export const OLGA = 201
export const GROUP = -7
export const NAME = '@kopeck_playground_bot'
/** Stands in everything that Olga says and reads, and in her name. */
export const WORD = 'marzipan'

export const UNHANDLED = { where: { handledAt: null } }

export async function openHouse(): Promise<BotSetup & { bot: RunningBot }> {
  const setup = await createBotSetup()
  setup.playground.addUser({ id: OLGA, firstName: `Olga ${WORD}`, languageCode: 'en' })
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [OLGA, BORIS] })
  const mediaPricesMicroRub = new Map([['vidgen-720p-5s', 40_000_000n]])
  return { ...setup, bot: await setup.startBot({ mediaPricesMicroRub }) }
}

/** Lets Olga spend no more than this a month. */
export async function limitOlga({ database }: BotSetup, amountMicroRub: bigint): Promise<void> {
  const limit = { subjectId: OLGA, period: 'month', amountMicroRub, setById: BORIS } as const
  await database.prisma.spendLimit.create({ data: limit })
}

/** Erases Olga as `/forget` does once its time has run out. */
export async function eraseInHaste({ database: { prisma } }: BotSetup): Promise<void> {
  const { erase } = createEraseUser({
    prisma,
    stopTurn: async () => 'nothing',
    clock: createFastClock(100_000),
    calendar: createCalendar({ timeZone: 'UTC' }),
  })
  expect(await erase(OLGA)).toBe('erased')
}

/** Sends a command and waits until it is handled. */
export async function say(setup: BotSetup, text: string, chatId = OLGA): Promise<void> {
  const before = setup.textsIn(chatId).length
  setup.playground.userSends({ userId: OLGA, chatId, text })
  await setup.playground.waitFor(() => setup.textsIn(chatId).length > before)
  await settled(setup)
}

/** Has a question answered with its own words, which are recorded as shown before the answer ends. */
export async function ask(
  setup: BotSetup,
  text: string,
  { userId = OLGA, chatId = OLGA }: { userId?: number; chatId?: number } = {},
): Promise<void> {
  setup.playground.userSends({ userId, chatId, text })
  const completion = await setup.service.next()
  completion.delta(completion.prompt)
  const shown = { where: { shownText: completion.prompt } }
  await until(async () => (await setup.database.prisma.turn.count(shown)) > 0)
  completion.finish()
  await setup.playground.waitFor(() => setup.textsIn(chatId).includes(completion.prompt))
  await settled(setup)
}

export async function settled({ database }: BotSetup): Promise<void> {
  await until(async () => (await database.prisma.update.count(UNHANDLED)) === 0)
}

/** A message that was one prompt with others. */
