import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { shareProgram } from './page-setup.ts'

/** The parts that a test sees of an element; the types of browsers are not those of these files. */
interface Media {
  muted: boolean
  readonly currentTime: number
  readonly videoWidth: number
  readonly naturalWidth: number
  play(): Promise<void>
}

/** Plays a video or a sound, until it moves. */
async function expectToPlay(media: Locator): Promise<void> {
  await media.evaluate(async (element: unknown) => {
    const player = element as Media
    player.muted = true
    await player.play()
  })
  const read = () => media.evaluate((element: unknown) => (element as Media).currentTime)
  await expect.poll(read).toBeGreaterThan(0)
}

describeInBrowser('what is ordered on the page of the playground', () => {
  const { startTalk } = shareProgram()

  test('/video becomes an order card, and then a video that plays in its bubble', async () => {
    const { say, bubble, page } = await startTalk()

    await say('/video 5s a paper boat on a brook')
    await bubble('₽40.00').first().waitFor()

    const video = page.locator('article video')
    await video.waitFor({ timeout: 40_000 })
    await expectToPlay(video)
    expect(await video.evaluate((video: unknown) => (video as Media).videoWidth)).toBe(1280)
    expect(await bubble('₽40.00').count()).toBe(1)
  })

  test('/image becomes a picture, and /sound a sound that plays', async () => {
    const { say, page } = await startTalk()

    await say('/image a lighthouse at dawn')
    const picture = page.locator('article img')
    await picture.waitFor({ timeout: 40_000 })
    await expect
      .poll(() => picture.evaluate((image: unknown) => (image as Media).naturalWidth))
      .toBeGreaterThan(100)
    await say('/sound a calm melody')
    // It is the second one within a minute.
    await page.getByRole('button', { name: 'Order for ₽3.00' }).click()
    const sound = page.locator('article audio')
    await sound.waitFor({ state: 'attached', timeout: 40_000 })

    await expectToPlay(sound)
  })

  test('a file with a question in its caption is sent, and answered', async () => {
    const { page, say, bubble } = await startTalk()

    await page.locator('input[type="file"]').setInputFiles({
      name: 'prices.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('bread costs 40 kopecks\n'.repeat(50)),
    })
    await say('What costs bread?')

    await bubble('prices.txt').filter({ hasText: 'What costs bread?' }).waitFor()
    await bubble('demo model').waitFor()
  })
})
