import { expect, test } from 'vitest'
import { LAYOUTS, waitForView } from './browser.ts'
import { describeInBrowser, openSignedIn } from './page-setup.ts'

describeInBrowser('what was spent', () => {
  test.each(LAYOUTS)(
    'a tap on a user opens their page, and Back returns, $width $locale',
    async (look) => {
      const { page, words } = await openSignedIn({ look })

      await page
        .getByRole('link', { name: /Bob Dylan/ })
        .first()
        .click()
      await page.getByRole('heading', { level: 1, name: 'Bob Dylan' }).waitFor()
      await waitForView(page)
      await page.getByRole('heading', { name: words.user.lastOrders }).waitFor()
      await page.goBack()

      await page.getByRole('heading', { level: 1, name: words.sections.spend }).waitFor()
    },
  )

  test('a part narrows to itself, the address says so, and a reload shows the same', async () => {
    const { page, words } = await openSignedIn()

    await page.getByRole('button', { name: words.kinds.video }).click()
    await waitForView(page)

    expect(page.url()).toContain('kind=video')
    await page.reload()
    await waitForView(page)
    expect(await page.getByLabel(words.spend.kind, { exact: true }).inputValue()).toBe('video')
    await page.getByRole('button', { name: words.spend.clear }).click()
    await expect.poll(() => page.url()).not.toContain('kind=')
  })

  // Promise: Amounts of a list are rounded on the page
  test('what the list of users shows adds up to its sum', async () => {
    const { page } = await openSignedIn()

    const shown = await page.locator('.list-end .num:first-child, .totals .num').allInnerTexts()

    const kopecks = shown.map((amount) => Number(amount.replace(/\D/g, '')))
    const sum = kopecks.pop()
    expect(kopecks).toHaveLength(21)
    expect(kopecks.reduce((one, other) => one + other, 0)).toBe(sum)
  })

  test('live figures move, and the sums after them', async () => {
    const { page, server, words } = await openSignedIn()
    const figures = page.getByRole('region', { name: words.live })
    await figures.getByText('₽2.50').waitFor()
    const { live } = server.state

    server.sendLive({ ...live, reservedMicroRub: '7250000' })

    await figures.getByText('₽7.25').waitFor()
  })

  test('an ended stream says that the session is over', async () => {
    const { page, server, words } = await openSignedIn()
    await page.locator('[data-live="true"]').waitFor()

    server.sendEnd('session_ended')

    await page.getByText(words.signIn.endedHint).waitFor()
  })

  test('a bot without charges says what will show, and a server that is away how to go on', async () => {
    const { page, server, words, show } = await openSignedIn({ href: '#/users' })
    server.answers.state.isEmpty = true
    await show('#/')
    await page.getByText(words.spend.nothingYet).waitFor()

    server.state.refusal = { status: 503, retryAfter: 7 }
    await page.getByRole('radio', { name: words.spans.all }).check({ force: true })

    await page.getByText(words.problems.busy(7)).waitFor()
    server.state.refusal = undefined
    await page.getByRole('button', { name: words.retry }).click()
    await page.getByText(words.problems.busy(7)).waitFor({ state: 'detached' })
  })
})
