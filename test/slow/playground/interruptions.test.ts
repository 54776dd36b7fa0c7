import { expect, test } from 'vitest'
import { createActor } from '../../playground/web/open-page.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

const LONG = 'Write 1500 characters about kopecks'
const END = 'The end of the long answer.'

describeInBrowser('a page of the playground that is interrupted', () => {
  const { meetBot, startTalk, kill, untilKept, startAgain } = shareProgram()

  test('a reload in the middle of an answer shows it as far as it is, and to its end', async () => {
    const { page, say, bubble } = await startTalk()
    await say(LONG)
    await bubble('Part 1').waitFor()

    await page.reload()

    await bubble('Part 2').waitFor()
    await bubble(END).waitFor({ timeout: 40_000 })
    expect(await bubble(LONG).count()).toBeGreaterThan(0)
    expect(await bubble(END).count()).toBe(1)
  })

  test('a process that is killed in mid-stream and started again: same chat, same messages, one answer', async () => {
    const { page, say, bubble, words } = await startTalk()
    await bubble('Hello, Ada!').waitFor()
    await say(LONG)
    await bubble('Part 1').waitFor()
    await untilKept('Part 1')

    await kill()
    await page.getByText(words.shell.lost).waitFor()
    await startAgain()

    await page.getByText(words.shell.lost).waitFor({ state: 'detached' })
    await bubble('Hello, Ada!').waitFor()
    await bubble(LONG).first().waitFor()
    const retry = page.getByRole('button', { name: 'Retry', exact: true })
    await expect
      .poll(async () => (await bubble(END).count()) + (await retry.count()), { timeout: 50_000 })
      .toBe(1)
    // What explains a cut answer quotes it.
    const answer = bubble('demo model').filter({ hasNotText: 'I was restarted' })
    expect(await answer.count()).toBe(1)
    await say('/usage')
    await bubble('Your spend').waitFor()
  }, 120_000)

  test('a page that was left open overnight shows what happened meanwhile', async () => {
    const { root, userId, page, start, bubble } = await meetBot()
    await page.clock.install()
    await start()
    await bubble('Hello, Ada!').waitFor()

    await page.clock.fastForward('12:00:00')
    const { act } = createActor(root)
    await act(`/chats/${userId}/messages`, { user_id: userId, text: 'Good morning' })
    await page.clock.runFor(5_000)

    await bubble('Good morning').first().waitFor()
  })
})
