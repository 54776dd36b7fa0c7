import { expect, test } from 'vitest'
import { formatMarkdown } from '../../../src/bot/rich-text/format-markdown.ts'
import { layOutMarkdown, type RichLayout } from '../../../src/bot/rich-text/lay-out-markdown.ts'
import { parseRichMarkdown } from '../../../src/playground/rich/parse-markdown.ts'

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

test('as text the summary is bold, and the rest stands below it', () => {
  const { text, entities } = formatMarkdown(WRITTEN)

  expect(text).toBe(
    'Try it first.\n\nShow the solution\n\nAdd both sides:\n\n</details>\n\n• one\n• two\n\nWell done.',
  )
  expect(entities).toContainEqual({ type: 'bold', offset: 15, length: 17 })
})

test.each([
  ['in one block', '<details><summary>X</summary>\nSome **text**\n</details>\nNext'],
  [
    'with lines between',
    '<details>\n<summary>\nX\n</summary>\n\nSome **text**\n\n</details>\n\nNext',
  ],
  [
    'with an end below its text',
    '<details><summary>X</summary>\n\nSome **text**\n</details>\n\nNext',
  ],
])('details that are written %s are the same', (_how, text) => {
  expect(write(text).markdown).toBe(
    '<details><summary>X</summary>\n\nSome **text**\n\n</details>\n\nNext',
  )
})

test.each([
  ['that do not end', '<details open><summary>X</summary>\n\nText', ['details']],
  ['with nothing in them', '<details><summary>X</summary>\n\n</details>', ['details']],
  ['of which only the end is there', 'Text\n\n</details>\n\nNext', ['paragraph', 'paragraph']],
  ['without a summary', '<details>\nText\n</details>', ['paragraph']],
  ['in a list', '- <details><summary>X</summary>\n  Text\n  </details>', ['list']],
  [
    'in details in details in details',
    `${'<details><summary>X</summary>\n\n'.repeat(5)}Text${'\n\n</details>'.repeat(5)}\n\nNext`,
    ['details', 'paragraph'],
  ],
])('details %s are whole, or text', (_how, text, types) => {
  expect(write(text).types).toEqual(types)
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
