import { Bot } from 'grammy'
import { onTestFinished } from 'vitest'
import { seed } from '../../../src/playground/open-playground.ts'
import { createPlayground, type Playground } from '../../../src/playground/playground.ts'
import { YOU } from '../../playground/people.ts'
import { DESKTOP } from '../dashboard/browser.ts'
import { openWindowOn } from '../dashboard/page-setup.ts'

/** A playground with the people of a new one, and a bot of the test's in it. */
export async function startPlayground({ port = 0 } = {}) {
  const playground = createPlayground({ port })
  seed(playground)
  const { apiRoot: root } = await playground.listen()
  const bot = new Bot(playground.token, { client: { apiRoot: root } })
  let isClosed = false
  onTestFinished(close)
  return { playground, root, bot, port: Number(new URL(root).port), say, close }

  async function say(chatId: number, text: string, more: object = {}): Promise<number> {
    const { message_id: id } = await bot.api.sendMessage(chatId, text, more)
    return id
  }

  async function close(): Promise<void> {
    if (!isClosed) await playground.close()
    isClosed = true
  }
}

/** Opens a playground's page, which fails the test by any word in its console. */
export async function openShell({ root }: { root: string }, { look = DESKTOP, hash = '' } = {}) {
  const window = await openWindowOn(root, look)
  await window.page.goto(`${root}/${hash}`)
  return window
}

/** Begins to talk to the bot in private, without the page. */
export function startChat(playground: Playground, userId = YOU): void {
  playground.userSends({ chatId: userId, userId, text: '/start' })
}
