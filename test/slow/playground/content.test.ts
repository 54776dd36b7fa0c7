import { expect, test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { openChat } from './messages-setup.ts'

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
})
