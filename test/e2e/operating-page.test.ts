import { expect, test } from 'vitest'
import { readBlocks, toPattern } from './operating-page.ts'

const PAGE = `# Page

## First

<!-- file: a.json -->
\`\`\`json
{}
\`\`\`

*Not run by the test: no such machine.*

\`\`\`sh
reboot
\`\`\`

## Second

<!-- exit status 2 -->
\`\`\`sh
ls nowhere
\`\`\`

\`\`\`text
none
\`\`\`
`

test('a page is read as its blocks, each with what the page says of it', () => {
  const plain = { keepsRunning: false, exitStatus: 0 }

  expect(readBlocks(PAGE)).toEqual([
    { ...plain, section: 'First', language: 'json', text: '{}\n', file: 'a.json' },
    { ...plain, section: 'First', language: 'sh', text: 'reboot\n', notRun: 'no such machine' },
    {
      ...plain,
      exitStatus: 2,
      section: 'Second',
      language: 'sh',
      text: 'ls nowhere\n',
      prints: 'none\n',
    },
  ])
})

test('what a page shows is found in an output with columns of any width, and nothing else is', () => {
  const pattern = toPattern('id  name\n1   shop (…)\n…\ntogether  2\n')

  expect('head\n id   name \n  1  shop (open)\n  2  other\ntogether  2\n').toMatch(pattern)
  expect('id  name\n1  shop\ntogether  2').not.toMatch(pattern)
  expect('id  title\n1  shop (open)\ntogether  2').not.toMatch(pattern)
  expect('id  name\n1  shop (open)\ntogether  3').not.toMatch(pattern)
})
