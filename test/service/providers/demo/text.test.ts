import { describe, expect, test } from 'vitest'
import { escapeXml, toShownText, wrapText } from '../../../../src/service/providers/demo/text.ts'

describe('toShownText()', () => {
  test.each([
    [
      'keeps an ordinary prompt',
      'Рыжая лиса, a <red> & "quick" fox — 300 ₽',
      'Рыжая лиса, a <red> & "quick" fox — 300 ₽',
    ],
    ['makes one line of many', ' a\r\n\tb\u2028c ', 'a b c'],
    ['drops control characters', 'a\u0000\u0007\u009fb', 'a b'],
    ['drops marks that turn the reading direction', 'a\u202eb\u2066c', 'abc'],
    ['drops halves of letters', 'a\ud800b', 'ab'],
    ['drops emoji and scripts that the font lacks', 'go 🚀👩‍🚀🇷🇺 שלום now', 'go now'],
    ['puts a letter and its mark together', 'e\u0301и\u0306', 'éй'],
    ['shows an ellipsis when nothing is left', '🚀\u0000', '…'],
  ])('%s', (_, prompt, shown) => {
    expect(toShownText(prompt)).toBe(shown)
  })

  test('cuts a long prompt with an ellipsis', () => {
    expect(toShownText('e\u0301'.repeat(2500))).toBe(`${'é'.repeat(400)}…`)
  })

  test('bounds the marks that one letter carries', () => {
    expect(toShownText(`x${'\u0301'.repeat(4999)}`)).toBe('x')
  })

  test('leaves what can be stored in a JSON column, of any prompt', () => {
    const shown = toShownText('a\u0000\ud800\uffff\u{10ffff}')

    expect(shown).not.toContain('\u0000')
    expect(shown.isWellFormed()).toBe(true)
  })
})

describe('wrapText()', () => {
  test('keeps the line breaks of the text', () => {
    expect(wrapText('one\ntwo', 50)).toEqual(['one', 'two'])
  })

  test('breaks between words', () => {
    expect(wrapText('one two three four', 4)).toEqual(['one two', 'three', 'four'])
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
