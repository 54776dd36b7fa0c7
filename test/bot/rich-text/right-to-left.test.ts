import { expect, test } from 'vitest'
import { isRightToLeft } from '../../../src/bot/rich-text/right-to-left.ts'

test.each([
  'שלום world',
  '**مرحبا**',
  '1. «12» — `code` שלום',
  '# [קישור](https://example.com)',
  '```python\nprint("hi")\n```\n\nהקוד',
  '> ![](https://example.com/a.png) שלום',
])('%j is read from right to left', (text) => {
  expect(isRightToLeft(text)).toBe(true)
})

test.each(['', '123', 'Hebrew: שלום', 'Привет, שלום', '```\nשלום\n```\n\nis a word', '`שלום` is'])(
  '%j is read from left to right',
  (text) => {
    expect(isRightToLeft(text)).toBe(false)
  },
)
