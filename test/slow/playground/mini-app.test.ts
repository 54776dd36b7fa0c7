import { expect, test } from 'vitest'
import { YOU } from '../../playground/people.ts'
import { waitForEffects } from '../dashboard/browser.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { openShell, serveMiniApp, startChat, startPlayground } from './shell-setup.ts'

describeInBrowser('Mini Apps of the playground’s page', () => {
  test('a Mini App gets who opens it and how the page looks, and its buttons are the frame’s', async () => {
    const { server, page, frame } = await openApp(`
      post('iframe_ready', { reload_supported: true })
      post('web_app_setup_main_button', { text: 'Save', is_visible: true })
      post('web_app_setup_back_button', { is_visible: true })
      post('web_app_request_theme')
    `)

    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()

    const received = () => frame().evaluate('received.map(({ eventType }) => eventType)')
    await expect
      .poll(received)
      .toEqual(expect.arrayContaining(['theme_changed', 'viewport_changed', 'main_button_pressed']))
    await expect.poll(received).toContain('back_button_pressed')
    const launch = new URLSearchParams(new URL(frame().url()).hash.slice(1))
    const initData = new URLSearchParams(launch.get('tgWebAppData') ?? '')
    expect(JSON.parse(initData.get('user') ?? '')).toMatchObject({ id: YOU, first_name: 'Alex' })
    expect(launch.get('tgWebAppPlatform')).toBe('weba')
    expect(await frame().evaluate('[...new Set(received.map(({ origin }) => origin))]')).toEqual([
      server.root,
    ])
  })

  test('a popup of a Mini App is answered by the id of its button', async () => {
    const { page, frame } = await openApp(`
      post('web_app_open_popup', {
        title: 'Sure?',
        message: 'It cannot be undone',
        buttons: [{ id: 'yes', type: 'destructive', text: 'Do it' }, { id: 'no', type: 'cancel' }],
      })
    `)

    await page.getByRole('dialog', { name: 'Sure?' }).getByRole('button', { name: 'Do it' }).click()

    await expect
      .poll(() =>
        frame().evaluate(`received.find(({ eventType }) => eventType === 'popup_closed')`),
      )
      .toMatchObject({ eventData: { button_id: 'yes' } })
  })

  test('one with unsaved changes is closed after a question, one that closes itself without', async () => {
    const { page, frame } = await openApp(
      `post('web_app_setup_closing_behavior', { need_confirmation: true })`,
    )

    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('dialog', { name: 'Close the Mini App?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.locator('iframe').count()).toBe(1)
    await frame().evaluate(`post('web_app_close')`)

    await expect.poll(() => page.locator('iframe').count()).toBe(0)
  })

  test('what another window says is not taken for the Mini App’s', async () => {
    const { page } = await openApp()
    const close = JSON.stringify({ eventType: 'web_app_close' })

    await page.evaluate(`postMessage(${JSON.stringify(close)}, '*')`)

    await waitForEffects(page)
    expect(await page.locator('iframe').count()).toBe(1)
  })

  test('a link of a Mini App is opened after a press that names its host', async () => {
    const { page } = await openApp(`post('web_app_open_link', { url: 'https://example.com/a' })`)

    const dialog = page.getByRole('dialog', { name: 'Open this link?' })
    await dialog.getByText('It leads to example.com').waitFor()
    const link = dialog.getByRole('link', { name: 'Open' })

    expect(await link.getAttribute('href')).toBe('https://example.com/a')
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  })

  test('a Mini App that speaks before the page’s next frame is heard', async () => {
    const url = await serveMiniApp(
      `post('web_app_setup_main_button', { text: 'Save', is_visible: true })`,
    )
    const { page, press } = await showButton(`${url}/`, [url])
    await page.evaluate(`{
      const later = setTimeout
      window.setTimeout = (run, ms) => later(run, ms + 1000)
      window.requestAnimationFrame = () => 0
    }`)

    await press()

    await page.getByRole('button', { name: 'Save' }).waitFor()
  })

  test('a Mini App elsewhere is in no frame: the page names its host, and a press opens a tab', async () => {
    const { page } = await openButton('https://apps.example.com/shop')

    const dialog = page.getByRole('dialog', { name: 'Mini App' })
    await dialog.getByText('apps.example.com').waitFor()
    const href = await dialog.getByRole('link', { name: 'Open in a tab' }).getAttribute('href')

    expect(href).toMatch(/^https:\/\/apps\.example\.com\/shop#tgWebAppData=/)
    expect(await page.locator('iframe').count()).toBe(0)
  })

  test('a Mini App goes by its bot’s name, and leaves the focus where it was opened', async () => {
    const { page } = await openApp(`post('web_app_ready')`)
    const dialog = page.getByRole('dialog', { name: 'Kopeck' })

    await dialog.getByRole('button', { name: 'Close' }).click()

    const button = page.getByRole('button', { name: 'Look' })
    await expect.poll(() => button.evaluate((it) => it.matches(':focus'))).toBe(true)
  })
})

/** A page on which a Mini App with this script is open. */
async function openApp(script = '') {
  const url = await serveMiniApp(script)
  const opened = await openButton(`${url}/`, [url])
  await opened.page.locator('iframe').waitFor()
  const frame = () => {
    const found = opened.page.frames().find((one) => one.url().startsWith(url))
    if (found === undefined) throw new Error('The Mini App is not loaded')
    return found
  }
  await expect.poll(() => opened.page.frames().some((one) => one.url().startsWith(url))).toBe(true)
  return { ...opened, frame }
}

async function openButton(url: string, besides: string[] = []) {
  const { server, page, press } = await showButton(url, besides)
  await press()
  return { server, page }
}

/** A page with a button that opens a Mini App. */
async function showButton(url: string, besides: string[]) {
  const server = await startPlayground()
  startChat(server.playground)
  await server.say(YOU, 'an app', {
    reply_markup: { inline_keyboard: [[{ text: 'Look', web_app: { url } }]] },
  })
  const { page } = await openShell(server, { hash: `#/${YOU}/${YOU}`, besides })
  return { server, page, press: () => page.getByRole('button', { name: 'Look' }).click() }
}
