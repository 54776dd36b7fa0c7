import type { Locator, Page } from 'playwright-core'
import type { Words } from '../../../src/playground/page/words/en.ts'
import { YOU } from '../../playground/people.ts'

/** Acts in a tab as a person does. */
export function asUser(page: Page, { root, words }: { root: string; words: Words }) {
  const field = page.getByRole('textbox', { name: words.compose.field, exact: true })
  const bubbles = page.locator('article')
  return {
    page,
    field,
    /** Messages and drafts that are in view or above, oldest first. */
    bubbles,
    last: bubbles.last(),
    /** A chat as somebody, or one topic of it. */
    async enter(userId: number, chatId: number, threadId?: number): Promise<void> {
      const path = [userId, chatId, ...(threadId === undefined ? [] : [threadId])].join('/')
      await page.goto(`${root}/#/${path}`)
    },
    /** Begins to talk to the bot in private. */
    async start(userId = YOU): Promise<void> {
      await page.goto(`${root}/#/${userId}/${userId}`)
      await page.getByRole('button', { name: words.compose.start, exact: true }).click()
      await bubbles.filter({ hasText: '/start' }).waitFor()
    },
    async say(text: string): Promise<void> {
      await field.fill(text)
      // A command that is suggested would be taken by Enter instead of what was typed.
      await page.getByRole('button', { name: words.compose.send, exact: true }).click()
    },
    bubble: (hasText: string | RegExp): Locator => bubbles.filter({ hasText }),
    button: (name: string | RegExp): Locator => page.getByRole('button', { name }),
  }
}
