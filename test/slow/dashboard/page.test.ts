import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ADMIN, ANNA, VIEWER } from '../../bot/admin/page/page-setup.ts'
import { addCharge } from '../../bot/spend/add-charge.ts'
import { findBarriers, LAYOUTS, openTab, waitForView } from './browser.ts'
import { describeInBrowser, openPage, openSignedIn } from './page-setup.ts'

/** A dark theme like Telegram's, and a light one whose colours cannot be read on each other. */
const DARK = {
  bg_color: '#17212b',
  secondary_bg_color: '#232e3c',
  section_bg_color: '#17212b',
  text_color: '#f5f5f5',
  hint_color: '#5c6670',
  button_color: '#5288c1',
  button_text_color: '#ffffff',
}
const PALE = {
  bg_color: '#ffffff',
  secondary_bg_color: '#efe6d5',
  text_color: '#8a8a8a',
  hint_color: '#d0d0d0',
  link_color: '#f5d94e',
  destructive_text_color: '#ffb0b0',
  button_color: '#f5d94e',
  button_text_color: '#ffffff',
}

/** The parameters that Telegram adds to the page's address when it opens it. */
function launchOf(initData: string, theme: object = DARK): string {
  return String(
    new URLSearchParams({
      tgWebAppData: initData,
      tgWebAppVersion: '9.1',
      tgWebAppPlatform: 'android',
      tgWebAppThemeParams: JSON.stringify(theme),
    }),
  )
}

function limitOf(period: string) {
  return `limit-${ANNA}-${period}`
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement.matches('${selector}')`)) return
  }
  throw new Error(`Cannot reach "${selector}" by Tab`)
}

describeInBrowser('signing in', () => {
  test.each(LAYOUTS)('a link signs in and leaves the address, $width $locale', async (look) => {
    const { page, t, openLinkOf } = await openPage(look)

    await openLinkOf(VIEWER)

    const name = t('page-section', { section: 'overview' })
    await page.getByRole('heading', { level: 1, name }).waitFor()
    expect(page.url()).not.toContain('link')
    await page.reload()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  })

  // Promise: The page is opened with forged or day-old `initData`, or by a user without a role
  test('Telegram’s word signs in; a forged one, an old one and a used one do not', async () => {
    const { page, root, initDataOf, t } = await openPage()
    const open = async (initData: string) => {
      await page.goto('about:blank')
      await page.goto(`${root}/admin/#${launchOf(initData)}`)
    }

    await open(await initDataOf(ADMIN, { token: '1:forged' }))
    await page.getByText(t('page-init-data')).waitFor()
    await open(await initDataOf(ADMIN, { ageS: 2 * 86_400 }))
    await page.getByText(t('page-init-data')).waitFor()
    await open(await initDataOf(ANNA))
    await page.getByText(t('page-no-role')).waitFor()
    const initData = await initDataOf(ADMIN)
    await open(initData)
    await page.getByRole('navigation', { name: t('page-menu') }).waitFor()
    expect(page.url()).not.toContain('tgWebAppData')
    await page.evaluate(() => sessionStorage.clear())
    await open(initData)
    await page.getByText(t('page-init-data')).waitFor()
  })

  // Promise: A session ends while an admin types a limit
  test('a session that ends under a form keeps what was typed, and a new link continues there', async () => {
    const { page, context, root, makeTicket, prisma, t, faults } = await openSignedIn({
      hash: `#/users/${ANNA}`,
    })
    await page.locator(`#${limitOf('week')}-edit summary`).click()
    await page.locator(`#${limitOf('week')}-amount`).fill('77')
    await prisma.dashboardSession.deleteMany()
    await page
      .locator(`#${limitOf('week')} [type=submit]`)
      .first()
      .click()
    await page.getByText(t('page-session-over')).waitFor()

    const tab = await openTab(context, faults)
    await tab.goto(`${root}/admin/#link=${await makeTicket('sign_in', ADMIN)}`)
    await waitForView(tab)

    await page.getByText(t('page-session-over')).waitFor({ state: 'detached' })
    await page
      .locator(`#${limitOf('week')} [type=submit]`)
      .first()
      .click()
    await page.getByText(t('page-saved')).waitFor()
    const stored = await prisma.spendLimit.findFirst({ where: { subjectId: ANNA, period: 'week' } })
    expect(stored?.amountMicroRub).toBe(77_000_000n)
  })

  // Promise: A role is taken away while its page is open
  test('a role that is taken away ends the page, which says so', async () => {
    const { page, setRole, openLinkOf, t } = await openPage()
    await openLinkOf(VIEWER)

    await setRole(VIEWER, null)

    await page.getByText(t('page-no-role')).waitFor()
  })

  test('a reader signs out', async () => {
    const { page, show, t } = await openSignedIn({ hash: '#/more' })

    await page.getByRole('button', { name: t('page-sign-out') }).click()
    await page.getByRole('heading', { name: t('page-signed-out') }).waitFor()

    await show('#/limits')
    await page.getByRole('heading', { name: t('page-sign-in') }).waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
  })
})

describeInBrowser('what was spent', () => {
  test.each(LAYOUTS)(
    'a tap on a user opens their view, and Back returns, $width $locale',
    async (look) => {
      const { page, t } = await openSignedIn({ look })

      await page
        .getByRole('link', { name: /Bob Dylan/ })
        .first()
        .click()
      await page.getByRole('heading', { level: 1, name: 'Bob Dylan' }).waitFor()
      await page.goBack()

      const name = t('page-section', { section: 'overview' })
      await page.getByRole('heading', { level: 1, name }).waitFor()
    },
  )

  test('a part narrows to itself, the address says so, and Back undoes it', async () => {
    const { page, t } = await openSignedIn()
    await page.getByRole('link', { name: /^Videos/ }).click()
    await expect.poll(() => page.url()).toContain('kind=video')
    await waitForView(page)

    await page.reload()
    await waitForView(page)
    await page.getByRole('button', { name: t('page-clear-filter', { name: 'Videos' }) }).click()
    await expect.poll(() => page.url()).not.toContain('kind=')
    await page.goBack()
    await expect.poll(() => page.url()).toContain('kind=video')
  })

  // Promise: Amounts of a list are rounded on the page
  test('the amounts of the list of users add up to the shown sum', async () => {
    const { page } = await openSignedIn()

    const shown = await page.locator('.list .end > span, .list + .rows dd').allInnerTexts()

    const kopecks = shown.map((amount) => Number(amount.replace(/\D/g, '')))
    const sum = kopecks.pop()
    expect(kopecks).toHaveLength(21)
    expect(kopecks.reduce((one, other) => one + other, 0)).toBe(sum)
  })

  test('live figures move, and the sums follow them', async () => {
    const { page, prisma } = await openSignedIn()
    await page.locator('#live').waitFor()

    await addCharge(prisma, { userId: VIEWER, amountMicroRub: 900_000_000_000n })

    await expect.poll(() => page.locator('.live dd').first().innerText()).toContain('₽900,')
    await expect.poll(() => page.locator('.big').innerText()).toMatch(/₽90\d,/)
  })

  test('a search finds users, and keeps what is typed', async () => {
    const { page } = await openSignedIn({ hash: '#/users' })

    await page.getByRole('searchbox').fill('grace')
    await page.keyboard.press('Enter')

    await expect.poll(() => page.locator('.item').count()).toBe(3)
    expect(await page.getByRole('searchbox').inputValue()).toBe('grace')
    expect(await page.evaluate('document.activeElement.id')).toBe('search')
  })
})

describeInBrowser('what admins change', () => {
  test.each(LAYOUTS)('a limit is set by the keyboard alone, $width $locale', async (look) => {
    const { page, prisma, t } = await openSignedIn({ look, hash: `#/users/${ANNA}` })
    await tabTo(page, `#${limitOf('week')}-edit summary`)
    await page.keyboard.press('Enter')
    await tabTo(page, `#${limitOf('week')}-amount`)

    await page.keyboard.type(look.locale === 'ru-RU' ? '1 250,50' : '1250.5')
    await page.keyboard.press('Enter')

    await page.getByText(t('page-saved')).waitFor()
    const stored = await prisma.spendLimit.findFirst({ where: { subjectId: ANNA, period: 'week' } })
    expect(stored?.amountMicroRub).toBe(1_250_500_000n)
    expect(
      await page.evaluate(`document.activeElement.matches('#${limitOf('week')}-edit summary')`),
    ).toBe(true)
  })

  test('a refused amount stays in its field, which has the focus', async () => {
    const { page, t } = await openSignedIn({ hash: `#/users/${ANNA}` })
    await page.locator(`#${limitOf('day')}-edit summary`).click()
    await page.locator(`#${limitOf('day')}-amount`).fill('ten')

    await page.keyboard.press('Enter')

    await page.getByText(t('page-amount-malformed')).waitFor()
    expect(await page.locator(`#${limitOf('day')}-amount:focus`).inputValue()).toBe('ten')
  })

  // Promise: The connection is gone when an admin saves
  test('a change without a connection says so, and goes through by the same button later', async () => {
    const { page, context, prisma, t } = await openSignedIn({ hash: '#/settings' })
    await page.locator('#settings-days').fill('7')
    await context.setOffline(true)
    await page.getByRole('button', { name: t('page-save') }).click()
    await page.getByText(t('page-away')).waitFor()

    await context.setOffline(false)
    await page.getByRole('button', { name: t('page-save') }).click()

    await page.getByText(t('page-saved')).waitFor()
    const stored = await prisma.setting.findUnique({ where: { name: 'alert_days_left_below' } })
    expect(stored?.value).toBe('7')
  })

  test('a user who asks is let in, and a block takes a second click', async () => {
    const { page, prisma, t } = await openSignedIn({ hash: '#/access' })
    const admission = async () => (await prisma.user.findUnique({ where: { id: 103 } }))?.admission
    await page.locator('a[href="#/users/103"]').click()
    await page.getByRole('button', { name: t('page-decide', { decision: 'allowed' }) }).click()
    await expect.poll(admission).toBe('allowed')
    await page.getByText(t('page-saved')).waitFor()

    await page.locator('#access-103-decision-block summary').click()
    expect(await admission()).toBe('allowed')
    await page.locator('#access-103-decision-block button').click()

    await expect.poll(admission).toBe('blocked')
  })
})

describeInBrowser('inside Telegram', () => {
  // Promise: Colours of a Telegram theme cannot be read on each other
  test.each([{ theme: DARK }, { theme: PALE }])(
    'every theme can be read: $theme.bg_color',
    async ({ theme }) => {
      const { page, root, initDataOf, show } = await openPage()
      await page.goto(`${root}/admin/#${launchOf(await initDataOf(ADMIN), theme)}`)
      await waitForView(page)

      for (const hash of ['#/', `#/users/${ANNA}`, '#/access', '#/changes']) {
        await show(hash)
        expect(await findBarriers(page)).toEqual([])
      }
    },
  )

  test('the page takes Telegram’s colours, reports that it is ready, and has it download files', async () => {
    const { page, context, root, initDataOf, t } = await openPage()
    const posted: { name: string; data: string }[] = []
    await context.exposeFunction('postToTelegram', (name: string, data: string) => {
      posted.push({ name, data })
    })
    await context.addInitScript({
      content:
        'globalThis.TelegramWebviewProxy = { postEvent: (name, data) => postToTelegram(name, data) }',
    })
    await page.goto(`${root}/admin/#${launchOf(await initDataOf(ADMIN))}`)
    await waitForView(page)

    expect(posted.map(({ name }) => name)).toContain('web_app_ready')
    const card = "getComputedStyle(document.documentElement).getPropertyValue('--card').trim()"
    await expect.poll(() => page.evaluate(card)).toBe(DARK.section_bg_color)
    await page.getByRole('button', { name: t('page-csv') }).click()
    const download = () => posted.find(({ name }) => name === 'web_app_request_file_download')
    await expect.poll(() => download()?.data).toContain('.csv')
  })
})
