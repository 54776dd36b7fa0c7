import { expect, test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

const LONG = 'Write 9000 characters about kopecks'
const END = 'The end of the long answer.'

describeInBrowser('a chat on the page of the playground', () => {
  const { meetBot, startTalk } = shareProgram()

  test('the bot describes itself before Start, and answers in one message that grows', async () => {
    const { page, start, say, bubble, bubbles } = await meetBot()
    await page.getByText('Write anything, and a language model answers.').waitFor()
    await page.getByText('Demo models answer. Your key: npm run setup').waitFor()
    await start()
    await bubble('Hello, Ada!').waitFor()
    const before = await bubbles.count()

    await say('Write 900 characters about kopecks')

    const answer = bubble('demo model')
    await answer.waitFor()
    const early = (await answer.innerText()).length
    await answer.filter({ hasText: END }).waitFor()
    expect((await answer.innerText()).length).toBeGreaterThan(early)
    expect(await bubbles.count()).toBe(before + 2)
  })

  test('Stop ends an answer in the middle', async () => {
    const { say, bubble, button } = await startTalk()
    await say(LONG)
    await bubble('Part 2').waitFor()

    await button('Stop').click()

    await bubble('(Stopped.)').waitFor()
    await button('Retry').waitFor()
    expect(await bubble(END).count()).toBe(0)
  })

  test('/retry offers the model again and others, and Again puts a new answer instead of the first', async () => {
    const { say, bubble, button, bubbles } = await startTalk()
    await say('What is a kopeck?')
    await button('Stop').waitFor()
    await button('Stop').waitFor({ state: 'detached' })
    const shown = await bubbles.count()

    await say('/retry')
    await button('Stop').waitFor()
    await button('Stop').waitFor({ state: 'detached' })
    await button('⇄ Other model').click()
    await button(/^With [a-z-]+ (≈\s|<)₽/)
      .first()
      .waitFor()
    await button('« Back').click()
    await button('↻ Again').click()
    await button(/^↻ Again (≈\s|<)₽/).click()

    await button('Stop').waitFor()
    await button('Stop').waitFor({ state: 'detached' })
    await bubble('npm run setup').last().waitFor()
    expect(await bubbles.count()).toBeGreaterThanOrEqual(shown)
  })

  test('a reply quotes what was selected, and the bot gets that', async () => {
    const { page, say, bubble, words, field } = await startTalk()
    await say('What is a kopeck?')
    const answer = bubble('npm run setup')
    await answer.waitFor()

    await answer.click({ button: 'right' })
    await page.getByRole('menuitem', { name: words.message.menu.reply, exact: true }).click()
    await field.fill('Tell me more')
    await page.keyboard.press('Enter')

    const mine = bubble('Tell me more').first()
    await mine.locator('.reply').waitFor()
    await expect.poll(() => bubble('demo model').count()).toBe(2)
  })
})
