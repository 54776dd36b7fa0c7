import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { pngOf } from '../../media-files.ts'
import { findBarriers, SCHEMES } from '../dashboard/browser.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { ANN, openChat } from './messages-setup.ts'

const ANSWER = `# Figures

Spend rose, see $E = mc^2$.[^1]

| Month | Sum |
|:------|----:|
| October | 1 046.15 |

\`\`\`python
print("kopeck")
\`\`\`

$$\\frac{1}{2}$$

<details><summary>More</summary>

Half goes up.

</details>

- [x] checked
- [ ] drawn

[^1]: A footnote.
`

describeInBrowser('what messages of the playground’s page show', () => {
  test('an answer shows its table, code, formulas, tasks and footnotes', async () => {
    const { sayRich, see } = await openChat()
    const id = await sayRich(ANSWER)
    const { page, bubble } = await see()
    const answer = bubble(id)

    await expect.poll(() => answer.locator('.katex').count()).toBe(2)
    expect(await answer.getByRole('heading', { name: 'Figures' }).count()).toBe(1)
    expect(await answer.getByRole('columnheader').allInnerTexts()).toEqual(['Month', 'Sum'])
    expect(await answer.getByRole('cell', { name: '1 046.15' }).count()).toBe(1)
    expect(await answer.getByRole('img', { name: 'Done:' }).count()).toBe(1)

    await answer.getByRole('button', { name: 'Copy the code' }).click()
    await answer.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('print("kopeck")')

    await answer.getByRole('button', { name: '1', exact: true }).click()
    await answer.locator('.flash').waitFor()
  })

  test('what a reader has opened in an answer stays open while the answer grows', async () => {
    const { api, sayRich, see } = await openChat()
    const id = await sayRich(ANSWER)
    const { bubble } = await see()
    const answer = bubble(id)
    await answer.getByText('More').click()

    const rich_message = { markdown: `${ANSWER}\n\nThe end` }
    await api.raw.editMessageText({ chat_id: ANN, message_id: id, rich_message })

    await answer.getByText('The end').waitFor()
    expect(await answer.getByText('Half goes up.').isVisible()).toBe(true)
  })

  test('a formula that is none shows as it was written', async () => {
    const { sayRich, see } = await openChat()
    const id = await sayRich('$$\\frac{1}{$$\n\nand $x^2$')
    const { bubble } = await see()

    await bubble(id).locator('.katex').waitFor()
    expect(await bubble(id).locator('.formula-block').innerText()).toBe('\\frac{1}{')
  })

  test('a message is as wide as its picture, however long what it answers', async () => {
    const { api, say, see } = await openChat()
    const answered = await say('a paper boat sails down a spring brook '.repeat(4))
    const photo = new InputFile(pngOf({ width: 640, height: 360 }), 'boat.png')
    const { message_id: id } = await api.sendPhoto(ANN, photo, {
      reply_parameters: { message_id: answered },
    })
    const { bubble } = await see()

    const photoShown = bubble(id).getByRole('link', { name: 'Open the photo' })

    await expect.poll(async () => (await photoShown.boundingBox())?.width ?? 0).toBeGreaterThan(200)
    await expect
      .poll(async () => {
        const [shown, whole] = [await photoShown.boundingBox(), await bubble(id).boundingBox()]
        return whole !== null && whole.width === shown?.width
      })
      .toBe(true)
  })

  test('links leave the page without naming where from, and run nothing', async () => {
    const { say, see } = await openChat()
    const id = await say('good bad', {
      entities: [
        { type: 'text_link', offset: 0, length: 4, url: 'https://example.com/' },
        { type: 'text_link', offset: 5, length: 3, url: 'tg://user?id=1' },
      ],
    })
    const { bubble } = await see()
    const links = bubble(id).getByRole('link')

    await expect.poll(() => links.allInnerTexts()).toEqual(['good'])
    expect(await links.first().getAttribute('rel')).toContain('noopener noreferrer')
    expect(await links.first().getAttribute('target')).toBe('_blank')
  })

  test.each(SCHEMES)(
    'nothing keeps anybody from reading at $width px, $colorScheme, $locale',
    async (look) => {
      const { say, sayRich, see } = await openChat()
      await say('Choose', {
        reply_markup: {
          inline_keyboard: [
            [
              { text: 'Yes', callback_data: 'y', style: 'success' },
              { text: 'No', callback_data: 'n' },
            ],
            [{ text: 'Stop', callback_data: 's', style: 'danger' }],
          ],
        },
      })
      const id = await sayRich(ANSWER)
      const { page, bubble } = await see(look)
      await bubble(id).locator('.katex').first().waitFor()

      expect(await findBarriers(page)).toEqual([])
    },
  )
})
