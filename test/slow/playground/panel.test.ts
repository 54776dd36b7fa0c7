import { test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

describeInBrowser('the money panel of the playground', () => {
  const { startTalk } = shareProgram()

  test('each kopeck of an answer appears, from its hold to its settlement', async () => {
    const { page, say, bubble, words } = await startTalk()
    await page.getByRole('button', { name: words.shell.panel }).click()

    await say('What is a kopeck?')
    await bubble('npm run setup').waitFor()

    const { kinds } = words.panel
    await page.getByText(kinds.hold, { exact: true }).first().waitFor()
    await page.getByText(kinds.settle, { exact: true }).first().waitFor()
  })
})
