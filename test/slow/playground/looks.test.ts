import { expect, test } from 'vitest'
import { TEAM, YOU } from '../../playground/people.ts'
import { DESKTOP, findBarriers, type Look, PHONE } from '../dashboard/browser.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

/** Each width, each scheme and each language once: axe reads seven views of each. */
const SOME_LOOKS: readonly Look[] = [DESKTOP, { ...PHONE, colorScheme: 'dark', locale: 'ru-RU' }]

describeInBrowser('how the page of the playground looks', () => {
  const { open } = shareProgram()

  test('axe finds nothing grave in what it shows, at both widths, in both schemes and languages', async () => {
    const first = await open()
    await first.start()
    await first.say('Explain inflation to a ten-year-old')
    await first.bubble('your pocket money').locator('.katex').first().waitFor()
    await first.bubble('Written in advance').waitFor()
    await first.say('/video 5s a paper boat on a brook')
    await first.page.locator('article video').waitFor()
    const barriers: string[] = []

    for (const look of SOME_LOOKS) {
      const { page, words, enter, bubbles, context, root } = await open(look)
      const collect = async (where: string) => {
        const found = await findBarriers(page)
        barriers.push(...found.map((one) => `${where}, ${JSON.stringify(look)}: ${one}`))
      }
      await page.goto(root)
      await page.getByRole('link', { name: 'Team' }).waitFor()
      await collect('chats')
      await enter(YOU, YOU)
      await bubbles.last().waitFor()
      await collect('chat')
      await page.getByRole('button', { name: words.shell.panel }).click()
      await page.getByRole('heading', { name: words.panel.title }).waitFor()
      await collect('panel')
      await enter(YOU, TEAM)
      await page.getByRole('link', { name: 'Ideas' }).waitFor()
      await collect('topics')
      await context.close()
    }

    expect(barriers).toEqual([])
  }, 240_000)
})
