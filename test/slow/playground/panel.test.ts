import { expect, onTestFinished, test } from 'vitest'
import { createPlayground } from '../../../src/playground/playground.ts'
import { seed } from '../../../src/playground/seed.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { openPageOf, shareProgram } from './page-setup.ts'

describeInBrowser('the side panel of the playground', () => {
  const { startTalk } = shareProgram()

  test('each call stands there with its status, and each kopeck of an answer from hold to settlement', async () => {
    const { page, say, bubble, words } = await startTalk()
    await page.getByRole('button', { name: words.shell.panel }).click()
    await page.getByText('sendMessage').first().waitFor()

    const { tabs, service } = words.panel
    await page.getByRole('tab', { name: tabs.service }).click()
    await say('What is a kopeck?')
    await bubble('npm run setup').waitFor()

    await page.getByText('POST /chats/completions').first().waitFor()
    await page.getByText(service.kinds.hold, { exact: true }).first().waitFor()
    await page.getByText(service.kinds.settle, { exact: true }).first().waitFor()
  })

  test('a fault that is switched on meets the next call, is seen there, and the answer comes all the same', async () => {
    const { page, say, bubble, words } = await startTalk()
    await bubble('Hello, Ada!').waitFor()
    await page.getByRole('button', { name: words.shell.panel }).click()
    const { tabs, faults, calls } = words.panel

    await page.getByRole('tab', { name: tabs.faults }).click()
    await page.getByRole('combobox', { name: faults.kind }).selectOption('429')
    await page
      .getByRole('spinbutton', { name: faults.times })
      .or(page.getByLabel(faults.times))
      .first()
      .fill('1')
    await page.getByRole('button', { name: faults.switchOn }).click()
    await say('/usage')

    await page.getByRole('tab', { name: tabs.calls }).click()
    await page.getByText(calls.retryAfter(3), { exact: false }).first().waitFor()
    await bubble('Your spend').waitFor({ timeout: 30_000 })
  })

  // Promise: Hundreds of calls a second come while the panel is open
  test('a flood of five hundred calls a second leaves the page in use', async () => {
    const playground = createPlayground({ flood: 'off' })
    seed(playground)
    const { apiRoot: root } = await playground.listen()
    onTestFinished(() => playground.close())
    const { page, start, say, bubble, bubbles, words } = await openPageOf({ root, address: root })
    await start()
    await page.getByRole('button', { name: words.shell.panel }).click()
    await page.getByRole('tab', { name: words.panel.tabs.calls }).click()
    await page.getByText('getMe').first().waitFor({ state: 'detached' })

    const flood = sendMany(`${root}/bot${playground.token}/getMe`, 3_000)
    await say('Am I heard?')
    await bubble('Am I heard?').waitFor()
    await flood

    await page.getByText('getMe').first().waitFor()
    expect(await page.locator('aside').getByRole('listitem').count()).toBeLessThan(200)
    expect(await bubbles.count()).toBe(2)
  })
})

async function sendMany(url: string, calls: number): Promise<void> {
  const ask = async () => {
    for (let index = 0; index < calls / 10; index += 1) await (await fetch(url)).arrayBuffer()
  }
  await Promise.all(Array.from({ length: 10 }, ask))
}
