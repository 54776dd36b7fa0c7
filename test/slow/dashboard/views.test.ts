import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBarriers, LOOKS, SCHEMES } from './browser.ts'
import { describeInBrowser, openSignedIn } from './page-setup.ts'

/** `PICTURES=DIR` takes a picture of every view, at both widths, in both schemes and languages. */
const PICTURES = process.env.PICTURES

const VIEWS = {
  overview: '#/',
  year: '#/overview?span=all',
  filtered: '#/overview?span=7d&kind=video',
  users: '#/users',
  user: '#/users/101',
  'no-user': '#/users/999',
  limits: '#/limits',
  access: '#/access',
  settings: '#/settings',
  check: '#/check',
  changes: '#/changes',
  more: '#/more',
  nowhere: '#/nowhere',
}

describeInBrowser('every view', () => {
  test.each(PICTURES === undefined ? SCHEMES : LOOKS)(
    'has no serious barrier and fits its width, $width $colorScheme $locale',
    async (look) => {
      const { page, show, t } = await openSignedIn({ look })
      const name = `${look.width}-${look.colorScheme}-${look.locale.slice(0, 2)}`

      for (const [view, hash] of Object.entries(VIEWS)) {
        await show(hash)
        await judge(view)
      }
      await show('#/users/103')
      await page.getByText(t('page-as-list')).click()
      await page.getByText(t('page-change'), { exact: true }).first().click()
      await page.getByLabel(t('page-limit-amount')).first().fill('-5')
      await page.keyboard.press('Enter')
      await page.getByText(t('page-amount-negative')).waitFor()
      await page
        .getByText(t('page-decide', { decision: 'blocked' }))
        .first()
        .click()
      await judge('forms')
      await page.evaluate(() => sessionStorage.clear())
      await page.reload()
      await page.getByRole('heading', { name: t('page-sign-in') }).waitFor()
      await judge('sign-in')

      async function judge(view: string): Promise<void> {
        expect(await findBarriers(page), view).toEqual([])
        const width = await page.evaluate('document.documentElement.scrollWidth')
        expect(width, view).toBeLessThanOrEqual(look.width)
        expect(await page.title(), view).toMatch(/.+ · Kopeck/)
        if (PICTURES === undefined) return
        await mkdir(PICTURES, { recursive: true })
        await page.screenshot({ path: join(PICTURES, `${view}-${name}.png`), fullPage: true })
      }
    },
    300_000,
  )
})
