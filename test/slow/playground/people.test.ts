import { expect, test } from 'vitest'
import { ADMIN, COLLEAGUE, TEAM, YOU } from '../../playground/people.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

describeInBrowser('the people of the playground on its page', () => {
  const { open, startTalk } = shareProgram()

  test('in the group the bot answers who mentions it, in the topic where they ask', async () => {
    const { page, enter, field, bubble, say } = await open()
    await enter(YOU, TEAM)
    await page.getByRole('link', { name: /Ideas/ }).click()

    await say('Nobody is asked here')
    await field.pressSequentially('@kop')
    await page.getByRole('option').first().click()
    await field.press('End')
    await field.pressSequentially('what is a kopeck?')
    await page.keyboard.press('Enter')

    await bubble('npm run setup').waitFor()
    expect(await bubble('demo model').count()).toBe(1)
    await enter(COLLEAGUE, TEAM)
    await page.getByRole('link', { name: /Ideas/ }).click()
    await bubble('npm run setup').waitFor()
    await enter(COLLEAGUE, TEAM)
    await page.getByRole('link', { name: /Videos/ }).click()
    await field.waitFor()
    await expect.poll(() => bubble('demo model').count()).toBe(0)
  })

  test('a Mini App opens in a new tab, signed in as the person', async () => {
    const { page, start, say, bubble } = await open()
    await start(ADMIN)
    await say('/dashboard')
    await bubble('The dashboard').waitFor()

    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Open in Telegram' }).click()

    const app = await opened
    await app.getByRole('heading', { level: 1, name: 'Spend' }).waitFor()
    await app.getByRole('link', { name: 'Users' }).first().click()
    await app.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  })

  test('who blocks the bot writes to it again after unblocking it', async () => {
    const { page, field, say, bubble, words } = await startTalk()
    await bubble('Hello, Ada!').waitFor()

    await page.getByRole('button', { name: words.more, exact: true }).first().click()
    await page.getByRole('button', { name: words.shell.block, exact: true }).click()
    await field.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: words.compose.unblock, exact: true }).click()
    await say('/usage')

    await bubble('Your spend').waitFor()
  })
})
