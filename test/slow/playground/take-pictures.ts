import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { en } from '../../../src/playground/page/words/en.ts'
import { ru } from '../../../src/playground/page/words/ru.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { ADMIN, YOU } from '../../playground/people.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { LOOKS, type Look, launchBrowser, openWindow } from '../dashboard/browser.ts'
import { asUser } from './as-user.ts'

/** The messages in each language, and the bot's words for what is pressed. */
const MESSAGES = {
  'en-GB': {
    video: '/video 5s a paper boat sails down a spring brook',
    long: 'Write 9000 characters about kopecks',
    hello: 'Who are you?',
    stopped: '(Stopped.)',
    open: 'Open in Telegram',
  },
  'ru-RU': {
    video: '/video 5s бумажный кораблик плывёт по весеннему ручью',
    long: 'Напиши 9000 символов о копейках',
    hello: 'Кто ты?',
    stopped: '(Остановлено.)',
    open: 'Открыть в Telegram',
  },
} as const

/** The last line of the answers that the demo model has to the examples. */
const WRITTEN = /Written in advance|Ответ написан заранее/

/** A window in which a whole one of them shows, in pixels. */
const ANSWER_HEIGHT = 1500

/**
 * `npm run pictures -- DIR`: takes pictures of the playground's page with the whole program behind it, at both widths, in
 * both schemes and languages.
 */
const [dir = 'build/pictures/playground'] = process.argv.slice(2)
await mkdir(dir, { recursive: true })
const browser = await launchBrowser()
for (const look of LOOKS) await takeLook(browser, look, dir)
await browser.close()

/** A program of its own, so that nothing in a picture is left from another one. */
async function takeLook(browser: Browser, look: Look, dir: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-pictures-'))
  const port = await findFreePort()
  const kopeck = await startKopeck({ DATA_DIR: dataDir, PLAYGROUND_PORT: port })
  const root = `http://127.0.0.1:${port}`
  await take()
  await kopeck.stop()
  await rm(dataDir, { recursive: true })

  async function take(): Promise<void> {
    const { locale } = look
    const { context, page } = await openWindow(browser, root, look)
    const window = page.viewportSize() ?? { width: look.width, height: ANSWER_HEIGHT }
    const messages = MESSAGES[locale]
    const examples = [1, 2, 3].map((number) => createTexts().t(locale, `example-${number}`))
    const words = locale === 'ru-RU' ? ru : en
    const tab = asUser(page, { root, words })
    const shoot = async (name: string) => {
      const file = `${name}-${look.width}-${look.colorScheme}-${locale.slice(0, 2)}.png`
      // Pictures and fonts that have just come are drawn, and the list is where it scrolls to.
      await page.waitForTimeout(700)
      await page.screenshot({ path: join(dir, file) })
    }
    await page.goto(root)
    await tab.button(new RegExp(`^${words.shell.youAre}`)).waitFor()
    await shoot('first-screen')
    await tab.start(YOU)
    await tab.button(examples[0] ?? '').waitFor()
    await shoot('greeting')
    await page.setViewportSize({ width: look.width, height: ANSWER_HEIGHT })
    for (const [index, example] of examples.entries()) {
      await tab.button(example).click()
      await tab.bubble(WRITTEN).nth(index).waitFor()
      await tab.last.scrollIntoViewIfNeeded()
      await shoot(`example-${index + 1}`)
    }
    await page.setViewportSize(window)
    await tab.say(messages.hello)
    await tab.bubble('npm run setup').waitFor()
    await shoot('demo')
    await tab.say(messages.video)
    await page.locator('article video').waitFor()
    await shoot('video')
    await tab.say(messages.long)
    await tab
      .bubble(/Part 1|Часть 1/)
      .last()
      .waitFor()
    await shoot('streamed')
    await tab.say('/stop')
    await tab.bubble(messages.stopped).waitFor()
    await tab.say('/usage')
    await page.locator('article img').last().waitFor()
    await shoot('spend')
    await takeAdmin()
    await tab.enter(YOU, YOU)
    await tab.field.waitFor()
    await page.getByRole('button', { name: words.shell.panel }).click()
    await shoot('panel')
    await context.close()

    async function takeAdmin(): Promise<void> {
      await tab.start(ADMIN)
      await tab.say('/dashboard')
      const opened = context.waitForEvent('page')
      await tab.button(messages.open).last().click()
      const app = await opened
      await app.getByRole('heading', { level: 1 }).waitFor()
      await app.close()
    }
  }
}
