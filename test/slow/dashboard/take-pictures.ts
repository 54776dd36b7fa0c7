import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { LOOKS, launchBrowser, openWindow, waitForView } from './browser.ts'
import { startPageServer } from './page-server.ts'

const VIEWS = {
  overview: '#/',
  filtered: '#/?span=7d&kind=video',
  year: '#/?span=all',
  users: '#/users',
  user: '#/users/101',
  limits: '#/limits',
  access: '#/access',
  alerts: '#/alerts',
  check: '#/check',
  changes: '#/changes',
  more: '#/more',
}

/** Takes a picture of every view, at both widths, in both schemes and languages. */
export async function takePictures(dir: string): Promise<void> {
  const server = await startPageServer()
  const browser = await launchBrowser()
  await mkdir(dir, { recursive: true })
  for (const look of LOOKS) {
    const { context, page } = await openWindow(browser, server.root, look)
    const name = `${look.width}-${look.colorScheme}-${look.locale.slice(0, 2)}`
    await page.goto(`${server.root}/admin/`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await take(page, dir, `sign-in-${name}`)
    server.state.links.add('picture')
    await page.goto('about:blank')
    await page.goto(`${server.root}/admin/#link=picture`)
    await waitForView(page)
    for (const [view, href] of Object.entries(VIEWS)) {
      await page.goto(`${server.root}/admin/${href}`)
      await waitForView(page)
      await take(page, dir, `${view}-${name}`)
    }
    await page.goto(`${server.root}/admin/#/users/101`)
    await page
      .getByRole('button', { name: /Change the limit|Изменить лимит/ })
      .first()
      .click()
    await page.getByRole('textbox').fill('-5')
    await page.keyboard.press('Enter')
    await take(page, dir, `limit-form-${name}`)
    await context.close()
  }
  await browser.close()
  await server.stop()
}

async function take(page: Page, dir: string, name: string): Promise<void> {
  await page.screenshot({ path: join(dir, `${name}.png`), fullPage: true })
}
