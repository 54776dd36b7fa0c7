import { expect, test } from 'vitest'
import { findBarriers, SCHEMES } from './browser.ts'
import { describeInBrowser, openSignedIn } from './page-setup.ts'

const VIEWS = [
  '#/',
  '#/?span=all',
  '#/?span=7d&kind=video&user=102',
  '#/users',
  '#/users/101?span=today',
  '#/users/999',
  '#/limits',
  '#/access',
  '#/alerts',
  '#/check',
  '#/changes',
  '#/more',
  '#/nowhere',
]

describeInBrowser('every view', () => {
  test.each(SCHEMES)(
    'has no serious barrier and fits its width, $width $colorScheme $locale',
    async (look) => {
      const { page, show } = await openSignedIn({ look })

      for (const href of VIEWS) {
        await show(href)
        expect(await findBarriers(page), href).toEqual([])
        const width = await page.evaluate('document.documentElement.scrollWidth')
        expect(width, href).toBeLessThanOrEqual(look.width)
        expect(await page.title(), href).toMatch(/.+ · Kopeck/)
      }
    },
  )

  test('opened forms and refusals have no serious barrier', async () => {
    const { page, words, show } = await openSignedIn({ href: '#/users/103' })
    await page.getByRole('button', { name: words.limits.change(words.periods.day) }).click()
    await page.getByLabel(words.limits.amount).fill('-5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: words.access.block, exact: true }).click()
    expect(await findBarriers(page)).toEqual([])

    await show('#/')
    await page.getByText(words.spend.asTable).click()

    expect(await findBarriers(page)).toEqual([])
  })

  test('the first Tab reaches the way past the sections', async () => {
    const { page, words } = await openSignedIn()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    const title = page.getByRole('heading', { level: 1, name: words.sections.spend })
    await expect.poll(() => title.evaluate((heading) => heading.matches(':focus'))).toBe(true)
  })
})
