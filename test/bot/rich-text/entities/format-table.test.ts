import { expect, test } from 'vitest'
import { formatMarkdown } from '../../../../src/bot/rich-text/format-markdown.ts'

test('the columns of a table stand one below the other, each on its side, with long cells in several lines', () => {
  const table = [
    '| Name | Year | Words |',
    '|:--|:-:|--:|',
    '| 中文 | 1972 | **b** |',
    '| C😀 | 19 | many words that do not fit into one line |',
    '| $x^2$ | 1 | ok |',
  ]

  const { text, entities } = formatMarkdown(table.join('\n'))

  expect(text.split('\n')).toEqual([
    'Name | Year |                  Words',
    '-----+------+-----------------------',
    '中文 | 1972 |                      b',
    'C😀  |  19  | many words that do not',
    '     |      |      fit into one line',
    'x^2  |  1   |                     ok',
  ])
  expect(entities).toEqual([{ type: 'pre', offset: 0, length: text.length }])
})
