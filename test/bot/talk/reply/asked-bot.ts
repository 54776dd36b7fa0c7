import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { turns, until } from '../turns/ended.ts'

/** A bot that was asked something, and its request for the answer. */
export async function askBot(text: string) {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text })
  return { setup, bot, completion: await setup.service.next() }
}

/** Until it is stored that the chat shows this. */
export function untilRecorded(setup: BotSetup, shownText: string): Promise<void> {
  return until(async () => (await turns(setup))[0]?.shownText === shownText)
}

/** Until so many updates are stored. */
export function untilStored({ database }: BotSetup, count: number): Promise<void> {
  return until(async () => (await database.prisma.update.count()) === count)
}
