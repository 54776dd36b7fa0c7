import { expect, test } from 'vitest'
import { COLLEAGUE, YOU } from '../../playground/people.ts'
import { openPage } from '../../playground/web/open-page.ts'
import { PHONE } from '../dashboard/browser.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { openShell, startChat, startPlayground } from './shell-setup.ts'

describeInBrowser('keys and people of the playground’s page', () => {
  test('Escape in the panel closes it before the chat, on a phone wherever the focus is', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    const hash = `#/${YOU}/${YOU}?panel`
    const wide = await openShell(server, { hash })
    const phone = await openShell(server, { hash, look: PHONE })

    await wide.page.getByRole('complementary').getByRole('button').first().press('Escape')
    await phone.page.getByRole('complementary').waitFor()
    await phone.page.keyboard.press('Escape')

    for (const { page } of [wide, phone]) {
      await expect.poll(() => new URL(page.url()).hash).toBe(`#/${YOU}/${YOU}`)
    }
  })

  test('who is somebody else sees their chats, and a second tab goes on as oneself', async () => {
    const server = await startPlayground()
    startChat(server.playground)
    await server.say(YOU, 'for you alone')
    const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}` })
    const other = await openShell(server, { hash: `#/${YOU}/${YOU}` })
    await page.getByText('for you alone').first().waitFor()

    await page.getByRole('button', { name: /^You are: Alex/ }).click()
    await page.getByRole('link', { name: 'Colleague' }).click()

    await page.getByRole('button', { name: /^You are: Colleague/ }).waitFor()
    await page.getByRole('link', { name: /Kopeck/ }).waitFor()
    await expect.poll(() => page.getByText('for you alone').count()).toBe(0)
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/${COLLEAGUE}`)
    expect(await other.page.getByText('for you alone').count()).toBeGreaterThan(0)
  })

  test('an address of nobody is that of the first person', async () => {
    const server = await startPlayground()
    const { page } = await openShell(server, { hash: '#/77/88' })

    await page.getByRole('button', { name: /^You are: Alex/ }).waitFor()
    await expect.poll(() => new URL(page.url()).hash).toMatch(new RegExp(`^#/${YOU}`))
  })

  test('the language of the page is the one that the bot gets, over a reload too', async () => {
    const server = await startPlayground()
    const { page } = await openShell(server, { hash: `#/${YOU}` })
    const languageOfBot = async () => {
      const { state } = await openPage(server.root, `as=${YOU}`)
      return state.people.find(({ user }) => user.id === YOU)?.user.language_code
    }

    await page.getByRole('button', { name: /^You are: Alex/ }).click()
    await page.getByRole('radio', { name: 'Русский' }).click()
    await page.getByRole('heading', { name: 'Вы' }).waitFor()
    await expect.poll(languageOfBot).toBe('ru')
    await page.reload()

    await page.getByRole('navigation', { name: 'Чаты' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('ru')
    expect(await languageOfBot()).toBe('ru')
  })

  test('a theme that is chosen stays over a reload', async () => {
    const server = await startPlayground()
    const { page } = await openShell(server, { hash: `#/${YOU}` })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.getByRole('link', { name: /Kopeck/ }).waitFor()
    const light = await ground()

    await page.getByRole('button', { name: /^You are: Alex/ }).click()
    await page.getByRole('radio', { name: 'Dark' }).click()
    await expect.poll(ground).not.toBe(light)
    const dark = await ground()
    await page.reload()

    await page.getByRole('link', { name: /Kopeck/ }).waitFor()
    expect(await ground()).toBe(dark)
  })

  test('somebody new is added and met at once', async () => {
    const server = await startPlayground()
    const { page } = await openShell(server, { hash: `#/${YOU}` })

    await page.getByRole('button', { name: /^You are: Alex/ }).click()
    await page.getByRole('button', { name: 'Add a person…' }).click()
    await page.getByRole('textbox', { name: 'First name' }).fill('Ada')
    await page.keyboard.press('Enter')

    await page.getByRole('button', { name: /^You are: Ada/ }).waitFor()
    await page.getByRole('link', { name: /Kopeck.*Press Start/ }).waitFor()
  })
})
