import { expect, test } from 'vitest'
import { TEAM, YOU } from '../../playground/people.ts'
import { DESKTOP, findBarriers, PHONE } from '../dashboard/browser.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { openShell, startChat, startPlayground } from './shell-setup.ts'

describeInBrowser('lists of the playground’s page', () => {
  test('a new playground opens on the bot that one has not met; on a phone, on the list', async () => {
    const server = await startPlayground()
    const wide = await openShell(server)
    const phone = await openShell(server, { look: PHONE })

    await wide.page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    await phone.page.getByRole('link', { name: /Kopeck.*Press Start/ }).waitFor()

    await expect.poll(() => new URL(wide.page.url()).hash).toBe(`#/${YOU}/${YOU}`)
    await expect.poll(() => new URL(phone.page.url()).hash).toBe(`#/${YOU}`)
  })

  test('what is unread counts in the list and in the tab’s name until it is looked at', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const { page } = await openShell(server, { hash: `#/${YOU}/${TEAM}` })
    await page.getByRole('heading', { name: 'Team' }).waitFor()

    await server.say(YOU, 'one')
    await server.say(YOU, 'two')

    const chat = page.getByRole('link', { name: /Kopeck/ })
    await chat.getByText('2 unread messages').waitFor()
    await expect.poll(() => page.title()).toBe('(2) Team · Kopeck playground')
    await chat.click()
    await expect.poll(() => page.title()).toBe('Kopeck · Kopeck playground')
    await expect.poll(() => page.getByText('unread message').count()).toBe(0)
    await page.reload()
    await page.getByText('two').first().waitFor()
    expect(await page.title()).toBe('Kopeck · Kopeck playground')
  })

  test('a forum shows its topics first, and what is new in each', async () => {
    const server = await startPlayground()
    const topic = server.playground.addTopic(TEAM, 'Reports')
    const { page } = await openShell(server, { hash: `#/${YOU}/${TEAM}` })
    await page.getByRole('link', { name: /^General/ }).waitFor()

    await server.say(TEAM, 'a report', { message_thread_id: topic })

    const row = page.getByRole('link', { name: /^Reports.*Kopeck: a report.*1 unread message/ })
    await row.click()
    await page.getByRole('heading', { name: 'Reports' }).waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/${YOU}/${TEAM}/${topic}`)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /^General/ }).waitFor()
  })

  test('a topic that somebody else deleted is left for the list of topics', async () => {
    const server = await startPlayground()
    const topic = server.playground.addTopic(TEAM, 'Reports')
    const { page } = await openShell(server, { hash: `#/${YOU}/${TEAM}/${topic}` })
    await page.getByRole('heading', { name: 'Reports' }).waitFor()

    server.playground.deletesTopic(TEAM, topic)

    await page.getByRole('link', { name: /^General/ }).waitFor()
    await page.getByRole('heading', { name: 'Team' }).waitFor()
  })

  test('a page that is left open over midnight says of today that it was yesterday', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}` })
    await page.clock.install()
    await page.reload()
    await page.getByText('Today', { exact: true }).waitFor()

    await page.clock.fastForward('24:00:00')

    await page.getByText('Yesterday', { exact: true }).waitFor()
  })

  test('the bot is called in a group as in its own chat: by its name in the person’s language', async () => {
    const server = await startPlayground()
    await server.bot.api.setMyName('Копейка', { language_code: 'ru' })
    await server.say(TEAM, 'Hello')
    const { page } = await openShell(server, {
      look: { ...DESKTOP, locale: 'ru-RU' },
      hash: `#/${YOU}/${TEAM}/0`,
    })

    await page.getByRole('link', { name: /Team.*Копейка: Hello/ }).waitFor()
    await page.getByRole('article', { name: /^Копейка/ }).waitFor()
  })

  test('that the bot is typing shows in the list and above the chat, and goes with its message', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}` })
    await page.getByRole('heading', { name: 'Kopeck' }).waitFor()

    await server.bot.api.sendChatAction(YOU, 'typing')
    await page.getByRole('link', { name: /Kopeck.*typing…/ }).waitFor()
    await page.locator('.header').getByText('typing…').waitFor()
    await server.say(YOU, 'here it is')

    await page.getByRole('link', { name: /Kopeck.*here it is/ }).waitFor()
  })

  test.each([DESKTOP, { ...DESKTOP, colorScheme: 'dark' as const }])(
    'the lists, the menu and a dialog have no barriers: $colorScheme',
    async (look) => {
      const server = await startPlayground()
      startChat(server.playground)
      await server.say(YOU, 'unread')
      const { page } = await openShell(server, { look, hash: `#/${YOU}/${TEAM}` })
      await page.getByRole('link', { name: /^General/ }).waitFor()
      const barriers = [await findBarriers(page)]

      await page.getByRole('button', { name: /^You are: Alex/ }).click()
      barriers.push(await findBarriers(page))
      await page.getByRole('button', { name: 'Add a person…' }).click()
      barriers.push(await findBarriers(page))
      await page.keyboard.press('Escape')
      await page.goto(`${server.root}/#/1002/1002`)
      await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
      barriers.push(await findBarriers(page))

      expect(barriers.flat()).toEqual([])
    },
  )
})
