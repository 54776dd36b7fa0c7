import { Bot, type Context } from 'grammy'
import { onTestFinished } from 'vitest'
import { openPlayground } from '../open-playground.ts'
import { asAnn } from './people.ts'

/** A bot on grammY for a playground, and Ann in front of it. */
export async function openGrammyBot<C extends Context = Context>() {
  const { playground, apiRoot } = await openPlayground()
  const bot = new Bot<C>(playground.token, { client: { apiRoot } })
  return { playground, bot, ann: asAnn(playground), poll }

  async function poll(): Promise<void> {
    await bot.init()
    const polling = bot.start()
    onTestFinished(async () => {
      await bot.stop()
      await polling
    })
  }
}
