import type { Api } from 'grammy'
import type { Locator } from 'playwright-core'
import { openPlayground } from '../../playground/open-playground.ts'
import { DESKTOP, waitForEffects } from '../dashboard/browser.ts'
import { openWindowOn } from '../dashboard/page-setup.ts'

/** Ann, who talks to the bot. */
export const ANN = 5

/** A playground by itself, whose bot says what a test makes it say. */
export async function openChat() {
  const { playground, apiRoot, api } = await openPlayground()
  playground.userSends({ userId: ANN, text: 'Hello' })
  return { playground, api, say, sayRich, see }

  async function say(text: string, more: Parameters<Api['sendMessage']>[2] = {}): Promise<number> {
    return (await api.sendMessage(ANN, text, more)).message_id
  }

  async function sayRich(markdown: string): Promise<number> {
    const message = await api.raw.sendRichMessage({ chat_id: ANN, rich_message: { markdown } })
    return message.message_id
  }

  async function see(look = DESKTOP) {
    const { page, context } = await openWindowOn(apiRoot, look)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${apiRoot}/#/${ANN}/${ANN}`)
    await page.locator('.bubble').first().waitFor()
    return {
      page,
      bubble: (id: number) => page.locator(`#message-${id}`),
      below: () =>
        page.locator('.messages-window').evaluate((window) => {
          return Math.round(window.scrollHeight - window.scrollTop - window.clientHeight)
        }),
      scrollTo: (top: number) =>
        page.locator('.messages-window').evaluate((window, to) => {
          window.scrollTop = to
        }, top),
    }
  }
}

/**
 * The distance of an element from the top of the window as people see it, in pixels and parts of one; NaN where it
 * is not drawn. What was changed since the last frame is put into its place at the end of the next one.
 */
export async function topOf(element: Locator): Promise<number> {
  await waitForEffects(element.page())
  return (await element.boundingBox())?.y ?? Number.NaN
}
