import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seed } from '../../../src/playground/open-playground.ts'
import { en } from '../../../src/playground/page/words/en.ts'
import type { PlaygroundMessage } from '../../../src/playground/world/message.ts'
import { openPlayground } from '../../playground/open-playground.ts'
import { TEAM, YOU } from '../../playground/people.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { DESKTOP } from '../dashboard/browser.ts'
import { describeInBrowser, openWindowOn } from '../dashboard/page-setup.ts'

const COMMANDS = [
  { command: 'model', description: 'choose the model' },
  { command: 'video', description: 'make a video' },
]

const { compose } = en

/** Somebody who has met the bot, at the page. The bot does only what the test does. */
async function openField({ chatId = YOU } = {}) {
  const { playground, apiRoot, api } = await openPlayground()
  seed(playground)
  await api.setMyCommands(COMMANDS)
  playground.userSends({ userId: YOU, text: '/start' })
  const { page, context } = await openWindowOn(apiRoot, DESKTOP)
  await page.goto(`${apiRoot}/#/${YOU}/${chatId}${chatId === TEAM ? '/0' : ''}`)
  const field = page.getByRole('textbox', { name: compose.field, exact: true })
  await field.waitFor()
  return { playground, api, page, context, field, sentMessage, button }

  /** Waits for the person's message that the test means. */
  function sentMessage(isIt: (message: PlaygroundMessage) => boolean): Promise<PlaygroundMessage> {
    return playground.waitFor(() => {
      const last = playground.transcript(chatId).findLast(({ from }) => from === 'user')
      return last !== undefined && isIt(last) && last
    })
  }

  function button(name: string) {
    return page.getByRole('button', { name, exact: true })
  }
}

/** Chooses files as the person does with the paper clip. */
async function attach(page: Page, files: Record<string, Uint8Array | string>): Promise<void> {
  const folder = await makeFolder()
  const paths = Object.keys(files).map((name) => join(folder, name))
  for (const [index, bytes] of Object.values(files).entries()) {
    await writeFile(paths[index] ?? folder, bytes)
  }
  await page.locator('input[type=file]').setInputFiles(paths)
}

describeInBrowser('the field of the playground', () => {
  test('Enter sends, Shift and Enter begins a line, and the text waits over a reload', async () => {
    const { field, page, sentMessage } = await openField()

    await field.fill('one')
    await field.press('Shift+Enter')
    await field.pressSequentially('two')
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('one\ntwo')
    await field.press('Enter')

    await sentMessage(({ text }) => text === 'one\ntwo')
    await expect.poll(() => field.inputValue()).toBe('')
  })

  test('a command is taken from the list: by Tab to write on, by Enter to send, in a group with the bot’s name', async () => {
    const { field, sentMessage } = await openField()
    await field.pressSequentially('/vi')
    await field.press('Tab')
    await field.pressSequentially('a fox')
    await field.press('Enter')
    await sentMessage(({ text }) => text === '/video a fox')

    await field.pressSequentially('/')
    await field.press('ArrowUp')
    await field.press('Enter')
    await sentMessage(({ text }) => text === '/video')

    const inGroup = await openField({ chatId: TEAM })
    await inGroup.field.pressSequentially('/mo')
    await inGroup.field.press('Enter')
    await inGroup.sentMessage(({ text }) => text === '/model@kopeck_playground_bot')
  })

  test('files go as an album with what was in the field as its caption', async () => {
    const { playground, page, field, button, sentMessage } = await openField()
    await field.fill('Two notes')

    await attach(page, { 'one.txt': 'first', 'two.txt': 'second' })
    await button(compose.send).click()

    const { document, mediaGroupId } = await sentMessage(
      (last) => last.document?.fileName === 'two.txt',
    )
    const [first] = playground.transcript(YOU).filter((one) => one.document !== undefined)
    expect(document?.mime).toBe('text/plain')
    expect(first).toMatchObject({ caption: 'Two notes', mediaGroupId })
    expect(mediaGroupId).toBeDefined()
    await expect.poll(() => field.inputValue()).toBe('')
  })

  test('what the server does not take comes back into the field', async () => {
    const { page, field } = await openField()
    await page.route('**/playground/chats/*/messages', (route) => route.abort())

    await field.fill('Do not lose me')
    await field.press('Enter')

    await page.getByText(en.shell.problems.offline).waitFor()
    await expect.poll(() => field.inputValue()).toBe('Do not lose me')
  })
})
