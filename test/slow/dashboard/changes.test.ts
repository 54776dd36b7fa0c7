import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LAYOUTS, waitForView } from './browser.ts'
import { describeInBrowser, openSignedIn } from './page-setup.ts'

async function tabTo(page: Page, name: string): Promise<void> {
  const nameOfFocus = `(() => {
    const focus = document.activeElement
    return focus.getAttribute('aria-label') ?? focus.labels?.[0]?.textContent ?? focus.textContent
  })()`
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(nameOfFocus)) === name) return
  }
  throw new Error(`Cannot reach "${name}" by Tab`)
}

describeInBrowser('what admins change', () => {
  test.each(LAYOUTS)('a limit is set by the keyboard alone, $width $locale', async (look) => {
    const { page, server, words } = await openSignedIn({ look, href: '#/users/101' })
    const change = words.limits.change(words.periods.week)
    await tabTo(page, change)
    await page.keyboard.press('Enter')

    await page.keyboard.type(look.locale === 'ru-RU' ? '1 250,50' : '1250.5')
    await page.keyboard.press('Enter')

    await page
      .getByText(look.locale === 'ru-RU' ? /^1\s250,50\s₽$/ : '₽1,250.50', { exact: true })
      .waitFor()
    expect(server.answers.state.own.get('101 week')).toBe('1250500000')
    const focused = page.getByRole('button', { name: change })
    await expect.poll(() => focused.evaluate((button) => button.matches(':focus'))).toBe(true)
  })

  // Promise: An amount typed on the page is negative, huge or none
  test.each([
    ['-5', 'amountNegative'],
    ['ten', 'amountMalformed'],
    ['1,000', 'amountMalformed'],
    ['1e9', 'amountMalformed'],
    ['1000000000.01', 'amountHuge'],
    ['9'.repeat(60), 'amountMalformed'],
  ] as const)('the amount %s is refused beside its field, and kept', async (typed, fault) => {
    const { page, server, words } = await openSignedIn({ href: '#/users/101' })
    await page.getByRole('button', { name: words.limits.change(words.periods.day) }).click()
    await page.getByLabel(words.limits.amount).fill(typed)

    await page.keyboard.press('Enter')

    await page.getByText(words.problems[fault]).waitFor()
    expect(await page.getByLabel(words.limits.amount).inputValue()).toBe(typed)
    expect(server.answers.state.stored).toEqual([])
  })

  // Promise: A limit is set on the page for a user whom the bot does not know
  test('a limit for a user whom the bot does not know is refused beside its field', async () => {
    const { page, words } = await openSignedIn({ href: '#/limits' })
    await page.getByLabel(words.limits.subject).fill('424242')
    await page.getByLabel(words.limits.amount).fill('50')

    await page.keyboard.press('Enter')

    await page.getByText(words.problems.missing).waitFor()
    expect(await page.getByLabel(words.limits.subject).inputValue()).toBe('424242')
  })

  // Promise: The connection is gone when an admin saves
  test('a change without a connection says so, and goes through by the same button later', async () => {
    const { page, context, server, words } = await openSignedIn({ href: '#/alerts' })
    await page.getByLabel(words.alerts.unusual).fill('7')
    await context.setOffline(true)
    await page.getByRole('button', { name: words.save }).click()
    await page.getByText(words.problems.offline).waitFor()

    await context.setOffline(false)
    await page.getByRole('button', { name: words.save }).click()

    await page.getByText(words.saved, { exact: true }).waitFor()
    expect(server.answers.state.alerts.unusualTimes).toBe(7)
  })

  test('who asks is let in, and a block is asked about once more', async () => {
    const { page, server, words } = await openSignedIn({ href: '#/access' })
    await page.getByRole('button', { name: /Сергей Прокофьев.*id 103/ }).click()
    await page.getByRole('button', { name: words.access.allow, exact: true }).click()
    await expect.poll(() => server.answers.state.access.get(103)?.decision).toBe('allowed')
    // The view reads again after a change.
    await waitForView(page)

    await page.getByRole('button', { name: words.access.block, exact: true }).click()
    expect(server.answers.state.stored).toEqual(['PUT /users/103/access'])
    await page.getByRole('alertdialog').getByRole('button', { name: words.access.block }).click()

    await expect.poll(() => server.answers.state.access.get(103)?.status).toBe('blocked')
  })

  test.each(LAYOUTS)(
    'a viewer sees spend and nothing that changes it, $width $locale',
    async (look) => {
      const { page, words, show } = await openSignedIn({ look, role: 'viewer' })
      await page.getByRole('heading', { name: words.spend.topUsers }).waitFor()

      for (const href of ['#/users/101', '#/limits', '#/access', '#/alerts']) {
        await show(href)
        for (const name of [words.edit, words.save, words.access.block, words.access.allow]) {
          expect(
            await page.getByRole('button', { name, exact: true }).count(),
            `${href} ${name}`,
          ).toBe(0)
        }
      }

      expect(await page.getByLabel(words.alerts.unusual).isDisabled()).toBe(true)
    },
  )
})
