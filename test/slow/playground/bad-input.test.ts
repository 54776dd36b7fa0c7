import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

const MIB = 1024 * 1024

/** A file of zeros, which takes no room on the disk. */
async function makeFile(name: string, bytes: number): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kopeck-file-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const path = join(dir, name)
  const file = await open(path, 'w')
  await file.truncate(bytes)
  await file.close()
  return path
}

describeInBrowser('more than Telegram takes, on the page of the playground', () => {
  const { startTalk } = shareProgram()

  // Promise: A person writes 100,000 characters
  test('a text of 100,000 characters is one question', async () => {
    const { field, say, bubble } = await startTalk()
    const text = `${'kopeck '.repeat(14_285)}12345`
    expect(text).toHaveLength(100_000)

    await say(text)

    await expect
      .poll(() => bubble('kopeck kopeck').count(), { timeout: 30_000 })
      .toBeGreaterThan(20)
    await expect.poll(() => field.inputValue()).toBe('')
    await bubble(/demo model|longer than the model can read/)
      .last()
      .waitFor({ timeout: 40_000 })
  })

  // Promise: A person sends 60 MB, or more than anybody may
  test('a file of 60 MB is sent; the bot, which Telegram gives no more than 20 MB, says so', async () => {
    const { page, bubble, words } = await startTalk()
    const path = await makeFile('large.pdf', 60 * MIB)

    await page.locator('input[type="file"]').setInputFiles(path)
    await page.getByRole('button', { name: words.compose.send, exact: true }).click()

    await bubble('large.pdf').first().waitFor({ timeout: 60_000 })
    await bubble('larger than 20 MB').waitFor()
  })

  // Promise: A person sends 60 MB, or more than anybody may
  test('a file beyond what anybody may send is refused before it is read', async () => {
    const { page, words } = await startTalk()
    const path = await makeFile('huge.bin', 2_001 * MIB)

    await page.locator('input[type="file"]').setInputFiles(path)

    await page.getByText('huge.bin').first().waitFor()
    await page
      .getByText(words.compose.largeFile('huge.bin', '2 GB', '1.95 GB').split(':')[0] ?? '')
      .waitFor()
  })
})
