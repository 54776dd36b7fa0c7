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

  test('each kopeck of an answer appears, from its hold to its settlement', async () => {
    const { page, say, bubble, words } = await startTalk()
    await page.getByRole('button', { name: words.shell.panel }).click()

    await say('What is a kopeck?')
    await bubble('npm run setup').waitFor()

    const { kinds } = words.panel
    await page.getByText(kinds.hold, { exact: true }).first().waitFor()
    await page.getByText(kinds.settle, { exact: true }).first().waitFor()
  })
})
