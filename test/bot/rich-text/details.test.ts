import { expect, test } from 'vitest'
import { formatMarkdown } from '../../../src/bot/rich-text/entities.ts'
import { layOutMarkdown, type RichLayout } from '../../../src/bot/rich-text/layout.ts'
import { parseRichMarkdown } from '../../../src/playground/content/parse-markdown.ts'

const ANSWER = `Try it first.

<details>
<summary>Show **the** solution</summary>

Add *both* sides:

\`\`\`html
</details>
\`\`\`

- one
- two

</details>

Well done.`

const WRITTEN = `Try it first.

<details><summary>Show **the** solution</summary>

Add *both* sides:

\`\`\`html
</details>
\`\`\`

- one
- two

</details>

Well done.`

function layOut(text: string, isInterim = false, after?: RichLayout) {
  return layOutMarkdown(text, { after, isInterim, plainChars: 3000 })
}

function readAsServer(markdown: string) {
  return parseRichMarkdown(markdown)
}

function write(text: string) {
  const { parts } = layOut(text)
  expect(parts).toHaveLength(1)
  const { markdown = '', needs = [] } = parts[0] ?? {}
  return { markdown, needs, types: readAsServer(markdown).map(({ type }) => type) }
}

test('details are those of a rich message, with all that is in them', () => {
  expect(write(ANSWER)).toEqual({
    markdown: WRITTEN,
    needs: ['details'],
    types: ['paragraph', 'details', 'paragraph'],
  })
  expect(readAsServer(WRITTEN)[1]).toMatchObject({
    summary: ['Show ', { type: 'bold', text: 'the' }, ' solution'],
    blocks: [{ type: 'paragraph' }, { type: 'pre', text: '</details>' }, { type: 'list' }],
  })
})

test('details that go on in a next message end in the first, and their text goes on', () => {
  const inside = Array.from({ length: 200 }, (_, index) => `Paragraph ${index} ${'a'.repeat(60)}`)
  const { parts } = layOut(`<details><summary>X</summary>\n\n${inside.join('\n\n')}\n\n</details>`)

  const [first, ...others] = parts.map(({ markdown }) => readAsServer(markdown))
  expect(first).toMatchObject([{ type: 'details', summary: 'X' }])
  expect(others.length).toBeGreaterThan(0)
  expect(new Set(others.flat().map(({ type }) => type))).toEqual(new Set(['paragraph']))
  const all = parts.map(({ markdown }) => markdown).join('')
  expect(all.match(/Paragraph/g)).toHaveLength(200)
})

test('while it grows an answer with details is one message, which becomes rich once and shows no half tag', () => {
  const needed: boolean[] = []
  let layout: RichLayout | undefined
  for (let length = 1; length <= ANSWER.length; length++) {
    layout = layOut(ANSWER.slice(0, length), true, layout)
    expect(layout.parts).toHaveLength(1)
    const [{ markdown, needs } = { markdown: '', needs: [] }] = layout.parts
    const { text } = formatMarkdown(markdown.replace(/```[\s\S]*?(```|$)/, ''))
    expect(text).not.toMatch(/<|summary/)
    if (needed.at(-1) !== needs.length > 0) needed.push(needs.length > 0)
  }

  expect(needed).toEqual([false, true])
  expect(layOut(ANSWER, false, layout).parts[0]?.markdown).toBe(WRITTEN)
})
