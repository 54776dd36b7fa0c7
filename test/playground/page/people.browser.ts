import { expect, test } from 'vitest'
import { describeInBrowser } from '../../bot/dashboard/page/page-setup.ts'
import { ADMIN, COLLEAGUE, TEAM, YOU } from './as-user.ts'
import { openPageOf, startProgram } from './page-setup.ts'

describeInBrowser('the people of the playground on its page', () => {
  test('in the group the bot answers who mentions it, in the topic where they ask', async () => {
    const program = await startProgram()
    const { page, enter, field, bubble, say } = await openPageOf(program)
    await enter(YOU, TEAM)
    await page.getByRole('link', { name: /Ideas/ }).click()

    await say('Nobody is asked here')
    await field.pressSequentially('@kop')
    await page.getByRole('option').first().click()
    await field.press('End')
    await field.pressSequentially('what is a kopeck?')
    await page.keyboard.press('Enter')

    await bubble('console.log(answer)').waitFor()
    expect(await bubble('demo model').count()).toBe(1)
    await page.goto(`${program.root}/#/${COLLEAGUE}/${TEAM}`)
    await page.getByRole('link', { name: /Ideas/ }).click()
    await bubble('console.log(answer)').waitFor()
    await page.goto(`${program.root}/#/${COLLEAGUE}/${TEAM}`)
    await page.getByRole('link', { name: /Clips/ }).click()
    await field.waitFor()
    expect(await bubble('demo model').count()).toBe(0)
  })

  test('the admin opens the page of spend as a Mini App, signed in by Telegram’s word', async () => {
    const program = await startProgram()
    const { page, start, say, bubble, words } = await openPageOf(program)
    await start(ADMIN)
    await say('/dashboard')
    await bubble('The dashboard').waitFor()

    await page.getByRole('button', { name: 'Open in Telegram' }).click()

    const app = page.frameLocator('iframe')
    await app.getByRole('heading', { level: 1, name: 'Spend' }).waitFor()
    await app.getByRole('link', { name: 'Users' }).first().click()
    await app.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await page.getByRole('button', { name: words.close }).first().click()
    await page.locator('iframe').waitFor({ state: 'detached' })
  })

  test('who blocks the bot gets nothing, and is asked to unblock it first', async () => {
    const program = await startProgram()
    const { page, start, field, words } = await openPageOf(program)
    await start()

    const { origin } = new URL(program.root)
    await page.evaluate(
      (userId) =>
        fetch(`/playground/chats/${userId}/blocks`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ user_id: userId, is_blocked: true }),
        }),
      YOU,
    )
    expect(new URL(page.url()).origin).toBe(origin)
    await page.getByRole('button', { name: words.compose.unblock }).click()

    await field.waitFor()
  })
})
