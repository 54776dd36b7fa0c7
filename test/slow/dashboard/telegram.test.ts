import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findBarriers, waitForView } from './browser.ts'
import { describeInBrowser, openPage } from './page-setup.ts'
import { LAUNCH, THEME } from './telegram.ts'

async function openInTelegram(hash = LAUNCH) {
  const opened = await openPage()
  const posted: { name: string; data: string }[] = []
  await opened.context.exposeFunction('postToTelegram', (name: string, data: string) => {
    posted.push({ name, data })
  })
  await opened.context.addInitScript({
    content:
      'globalThis.TelegramWebviewProxy = { postEvent: (name, data) => postToTelegram(name, data) }',
  })
  await opened.page.goto(`${opened.server.root}/admin/#${hash}`)
  await waitForView(opened.page)
  return { ...opened, posted }
}

function colourOf(page: Page, name: string): Promise<unknown> {
  return page.evaluate(
    `getComputedStyle(document.documentElement).getPropertyValue('${name}').trim()`,
  )
}

describeInBrowser('inside Telegram', () => {
  // Promise: Colours of a Telegram theme cannot be read on each other
  test('the page takes the colours of the theme, and makes those readable that are not', async () => {
    const { page } = await openInTelegram()

    expect(await colourOf(page, '--card')).toBe(THEME.section_bg_color)
    expect(await colourOf(page, '--hint')).not.toBe(THEME.hint_color)
    expect(await findBarriers(page)).toEqual([])
  })

  test('the page reports to Telegram that it is ready, and has it download its files', async () => {
    const { page, posted, words } = await openInTelegram()
    expect(posted.map(({ name }) => name)).toContain('web_app_ready')

    await page.getByRole('button', { name: words.spend.csvLabel }).click()

    await expect
      .poll(() => posted.find(({ name }) => name === 'web_app_request_file_download')?.data)
      .toContain('spend.csv')
  })
})
