import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bot } from 'grammy'
import { onTestFinished } from 'vitest'
import { createPlayground, type Playground } from '../../../src/playground/playground.ts'
import { seed } from '../../../src/playground/seed.ts'
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

  /** A message of the bot to a chat; a private one has to be started. */
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
export async function openShell(
  { root }: { root: string },
  { look = DESKTOP, hash = '', besides = [] as string[] } = {},
) {
  const window = await openWindowOn(root, look, { besides })
  await window.page.goto(`${root}/${hash}`)
  return window
}

/** Begins to talk to the bot in private, without the page. */
export function startChat(playground: Playground, userId = YOU): void {
  playground.userSends({ chatId: userId, userId, text: '/start' })
}

/** A Mini App at an address of its own, which keeps what it gets in `received`. */
export async function serveMiniApp(script = '') {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><title>App</title><script>
      const received = []
      const post = (eventType, eventData) =>
        parent.postMessage(JSON.stringify({ eventType, eventData }), '*')
      addEventListener('message', ({ origin, data }) => received.push({ origin, ...JSON.parse(data) }))
      ${script}
    </script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
