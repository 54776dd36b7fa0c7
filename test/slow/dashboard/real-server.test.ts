import { expect, test } from 'vitest'
import { en } from '../../../src/bot/admin/dashboard/page/words/en.ts'
import { builtDir } from '../../../src/platform/installation.ts'
import { ADMIN, ANNA, setUpDashboard, VIEWER } from '../../bot/admin/dashboard/dashboard-setup.ts'
import { addCharge } from '../../bot/spend/add-charge.ts'
import { waitForView } from './browser.ts'
import { describeInBrowser, openWindowOn } from './page-setup.ts'

async function openRealPage() {
  const dashboard = await setUpDashboard({ pageDir: builtDir('admin') })
  const { prisma, root, tickets } = dashboard
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 2_100_000n })
  await addCharge(prisma, {
    userId: ANNA,
    amountMicroRub: 40_000_000n,
    kind: 'video',
    item: 'vidgen-720p-5s',
  })
  await prisma.user.updateMany({ data: { languageCode: 'en' } })
  const window = await openWindowOn(root)
  return { ...dashboard, ...window, show, openLinkOf }

  async function show(href: string): Promise<void> {
    await window.page.goto(`${root}/admin/${href}`)
    await waitForView(window.page)
  }

  async function openLinkOf(userId: number): Promise<string> {
    const link = await tickets.make('sign_in', { userId })
    await show(`#link=${link}`)
    return link
  }
}

describeInBrowser('the page and the bot’s own server', () => {
  test('an admin signs in by a link, drills down, sets a limit, and reads who did', async () => {
    const { page, show, openLinkOf, prisma } = await openRealPage()
    await openLinkOf(ADMIN)
    await page.getByRole('link', { name: /Anna.*₽42\.10/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Anna' }).waitFor()
    await waitForView(page)

    await page.getByRole('button', { name: en.limits.change(en.periods.month) }).click()
    await page.getByLabel(en.limits.amount).fill('250.5')
    await page.keyboard.press('Enter')

    await page.getByText('₽250.50', { exact: true }).waitFor()
    const key = { subjectId: BigInt(ANNA), period: 'month' } as const
    const stored = await prisma.spendLimit.findUnique({ where: { subjectId_period: key } })
    expect(stored?.amountMicroRub).toBe(250_500_000n)
    await show('#/changes')
    await page.getByText(en.changes.what.limit_month ?? '').waitFor()
    await page.getByText('₽250.50').waitFor()
  })

  // Promise: The page is opened with forged or day-old `initData`, or by a user without a role
  test('Telegram’s word signs in; a forged one and a day-old one do not', async () => {
    const { page, root, initDataOf } = await openRealPage()
    const open = async (initData: string) => {
      const launch = new URLSearchParams({
        tgWebAppData: initData,
        tgWebAppVersion: '9.1',
        tgWebAppPlatform: 'android',
        tgWebAppThemeParams: '{}',
      })
      await page.goto('about:blank')
      await page.goto(`${root}/admin/#${launch}`)
    }

    await open(await initDataOf(ADMIN, { token: '1:forged' }))
    await page.getByText(en.signIn.errors.init_data_invalid).waitFor()
    await open(await initDataOf(ADMIN, { ageS: 2 * 86_400 }))
    await page.getByText(en.signIn.errors.init_data_expired).waitFor()
    await open(await initDataOf(ANNA))
    await page.getByText(en.signIn.errors.no_role).waitFor()
    const initData = await initDataOf(ADMIN)
    await open(initData)

    await page.getByRole('heading', { level: 1, name: en.sections.spend }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: en.sections.spend }).waitFor()
    await page.evaluate(() => sessionStorage.clear())
    await open(initData)
    await page.getByText(en.signIn.errors.init_data_used).waitFor()
  })

  // Promise: A role is taken away while its page is open
  test('a role that is taken away ends the page, which says so', async () => {
    const { page, openLinkOf, setRole } = await openRealPage()
    await openLinkOf(VIEWER)

    await setRole(VIEWER, null)
    await page.getByRole('radio', { name: en.spans.all }).check({ force: true })

    await page.getByText(en.signIn.endedHint).waitFor()
  })
})
