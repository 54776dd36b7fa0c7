import { expect, test } from 'vitest'
import { TEAM, YOU } from '../../playground/people.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { openShell, startChat, startPlayground } from './shell-setup.ts'

describeInBrowser('notices of the playground’s page', () => {
  test('an answer to a button is a notice that goes, or an alert that has to be closed', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const keyboard = [
      [
        { text: 'Short', callback_data: 'short' },
        { text: 'Grave', callback_data: 'grave' },
      ],
    ]
    await server.say(YOU, 'choose', { reply_markup: { inline_keyboard: keyboard } })
    server.bot.callbackQuery('short', (context) => context.answerCallbackQuery('So it is'))
    server.bot.callbackQuery('grave', (context) =>
      context.answerCallbackQuery({ text: 'Look out', show_alert: true }),
    )
    const running = server.bot.start()
    const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}` })

    await page.getByRole('button', { name: 'Short' }).click()
    await page.getByRole('status').getByText('So it is').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.getByText('So it is').count()).toBe(0)
    await page.getByRole('button', { name: 'Grave' }).click()
    await page.getByRole('dialog', { name: 'Kopeck' }).getByText('Look out').waitFor()
    await page.getByRole('button', { name: 'OK' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

    await server.bot.stop()
    await running
  })

  test('a playground that is gone is waited for, and seen again when it is back', async () => {
    const server = await startPlayground()
    const { page } = await openShell(server, { hash: `#/${YOU}/${TEAM}` })
    await page.getByRole('heading', { name: 'Team' }).waitFor()

    await server.close()
    await page.getByText('Waiting for the playground…').waitFor()
    const again = await startPlayground({ port: server.port })
    await expect.poll(() => page.getByText('Waiting for the playground…').count()).toBe(0)
    await again.say(TEAM, 'I am back')

    await page.getByRole('link', { name: /Team.*I am back/ }).waitFor()
  })

  test('what the playground refuses is shown in its words', async () => {
    const server = await startPlayground()
    const { page } = await openShell(server, { hash: `#/${YOU}/${TEAM}` })
    await page.getByRole('button', { name: 'New topic…' }).click()
    await page.route('**/topics', (route) =>
      route.fulfill({ status: 409, json: { detail: 'There are enough topics' } }),
    )

    await page.getByRole('textbox', { name: 'Name of the topic' }).fill('One more')
    await page.keyboard.press('Enter')

    await page.getByRole('status').getByText('There are enough topics').waitFor()
    // It stays open, for another try.
    expect(await page.getByRole('textbox', { name: 'Name of the topic' }).inputValue()).toBe(
      'One more',
    )
  })

  test('what could not be sent is in its field again, also when another chat shows by then', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}` })
    const asked = Promise.withResolvers<() => Promise<void>>()
    await page.route('**/playground/chats/*/messages', (route) => {
      asked.resolve(() => route.abort())
    })
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Not lost')
    await field.press('Enter')
    const fail = await asked.promise
    await page.getByRole('link', { name: /^Team/ }).click()
    await page.getByRole('link', { name: /^General/ }).waitFor()

    await fail()
    await page.getByText('The playground does not answer').waitFor()
    await page.getByRole('link', { name: /Kopeck/ }).click()

    await expect.poll(() => field.inputValue()).toBe('Not lost')
  })

  test('a message is forwarded to a topic, which opens with it', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const topic = server.playground.addTopic(TEAM, 'Reports')
    await server.say(YOU, 'worth telling')
    const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}` })

    await page.getByText('worth telling').last().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Forward' }).click()
    await page.getByRole('dialog', { name: 'Forward to…' }).getByText('Team · Reports').click()

    await page.getByRole('heading', { name: 'Reports' }).waitFor()
    await page.getByText('worth telling').last().waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/${YOU}/${TEAM}/${topic}`)
  })
})
