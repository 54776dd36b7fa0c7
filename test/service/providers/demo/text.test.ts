import { describe, expect, test } from 'vitest'
import { escapeXml, wrapText } from '../../../../src/service/providers/demo/text.ts'

describe('wrapText()', () => {
  test('breaks between words', () => {
    expect(wrapText('one two three four', 5)).toEqual(['one two', 'three', 'four'])
  })

  test('breaks a word that is longer than a line, and loses nothing', () => {
    const lines = wrapText(`go ${'щ'.repeat(40)} on`, 8)

    expect(lines.length).toBeGreaterThan(5)
    expect(lines.join('').replaceAll(' ', '')).toBe(`go${'щ'.repeat(40)}on`)
  })

  test('takes a letter wider than a line as a line', () => {
    expect(wrapText('щщ', 0.1)).toEqual(['щ', 'щ'])
  })
})

test('escapeXml() leaves nothing that opens a tag, an entity or an attribute', () => {
  expect(escapeXml('<a b="c">&</a>')).toBe('&lt;a b=&quot;c&quot;&gt;&amp;&lt;/a&gt;')
})
