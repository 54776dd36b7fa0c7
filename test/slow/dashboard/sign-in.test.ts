import { expect, test } from 'vitest'
import { LAYOUTS, openTab, waitForView } from './browser.ts'
import { describeInBrowser, openPage, openSignedIn } from './page-setup.ts'
import { LAUNCH } from './telegram.ts'

describeInBrowser('signing in', () => {
  test.each(LAYOUTS)('a link signs in and leaves the address, $width $locale', async (look) => {
    const { page, words, show } = await openPage(look)

    await show('#link=good-link')

    await page.getByRole('heading', { level: 1, name: words.sections.spend }).waitFor()
    expect(page.url()).not.toContain('good-link')
  })

  test.each(LAYOUTS)('Telegram’s initData signs in, $width $locale', async (look) => {
    const { page, words, server } = await openPage(look)

    await page.goto(`${server.root}/admin/#${LAUNCH}`)

    await page.getByRole('heading', { level: 1, name: words.sections.spend }).waitFor()
    await waitForView(page)
    expect(page.url()).not.toContain('tgWebAppData')
  })

  test('who has no role reads that, and no data', async () => {
    const { page, words, server } = await openPage()
    server.state.links.clear()

    await page.goto(`${server.root}/admin/`)

    await page.getByRole('heading', { level: 1, name: words.signIn.title }).waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
  })

  // Promise: A session ends while an admin types a limit
  test('a session that ends under a form keeps what was typed, and a new link goes on there', async () => {
    const { page, context, server, words, faults } = await openSignedIn({ href: '#/users/101' })
    await page.getByRole('button', { name: words.limits.change(words.periods.day) }).click()
    await page.getByLabel(words.limits.amount).fill('77')
    server.endSessions()
    await page.getByRole('button', { name: words.save }).click()
    await page.getByText(words.signIn.endedHint).waitFor()

    server.state.links.add('next-link')
    const tab = await openTab(context, faults)
    await tab.goto(`${server.root}/admin/#link=next-link`)
    await waitForView(tab)

    await page.getByText(words.signIn.endedHint).waitFor({ state: 'detached' })
    expect(await page.getByLabel(words.limits.amount).inputValue()).toBe('77')
    await page.getByRole('button', { name: words.save }).click()
    await expect.poll(() => server.answers.state.own.get('101 day')).toBe('77000000')
  })
})
