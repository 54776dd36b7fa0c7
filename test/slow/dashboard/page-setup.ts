import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import type { Role } from '../../../src/bot/admin/dashboard/api.ts'
import { en, type Words } from '../../../src/bot/admin/dashboard/page/words/en.ts'
import { ru } from '../../../src/bot/admin/dashboard/page/words/ru.ts'
import {
  CHROMIUM,
  expectNoFaults,
  type Look,
  launchBrowser,
  openWindow,
  PHONE,
  type WindowOptions,
  waitForView,
} from './browser.ts'
import { startPageServer } from './page-server.ts'

let browser: Browser

/** Tests in a browser. A machine without one says so, and skips them. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (CHROMIUM === undefined) {
    process.stderr.write(
      'No Chromium: apt-get install chromium-headless-shell, or set CHROMIUM_PATH.\n',
    )
  }
  describe.skipIf(CHROMIUM === undefined)(name, () => {
    beforeAll(async () => {
      browser = await launchBrowser()
    })
    afterAll(() => browser.close())
    tests()
  })
}

/** A window on a server, which ends with the test; the test fails of what went wrong in it. */
export async function openWindowOn(root: string, look: Look = PHONE, options?: WindowOptions) {
  const window = await openWindow(browser, root, look, options)
  expectNoFaults(window.faults)
  onTestFinished(() => window.context.close())
  return window
}

/** The page's server and a window on it, with what the page says there. Both end with the test. */
export async function openPage(look: Look = PHONE) {
  const server = await startPageServer()
  onTestFinished(() => server.stop())
  const { context, page, faults } = await openWindowOn(server.root, look)
  expectNoFaults(server.faults)
  const words: Words = look.locale === 'ru-RU' ? ru : en
  return { server, context, page, faults, words, look, show }

  async function show(href: string): Promise<void> {
    await page.goto(`${server.root}/admin/${href}`)
    await waitForView(page)
  }
}

/** The same with somebody signed in, by a link. */
export async function openSignedIn({ look = PHONE, role = 'admin' as Role, href = '#/' } = {}) {
  const opened = await openPage(look)
  opened.server.state.role = role
  await opened.show('#link=good-link')
  if (href !== '#/') await opened.show(href)
  return opened
}
