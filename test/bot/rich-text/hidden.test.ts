import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leaveOutHidden } from '../../../src/bot/rich-text/characters.ts'

test.each([
  [
    'what turns the direction of what follows',
    'a\u202ebc\u202c \u2067d\u2069 \u2066\u202a',
    'abc d ',
  ],
  ['characters without width', 'pay\u200bpal\u200c.\u200dcom\u2060 \ufeff\u00ad', 'paypal.com '],
  ['a message in tags', 'Hi\u{e0049}\u{e0067}\u{e006e}\u{e007f}', 'Hi'],
  ['a message in variants of an emoji', '😀\ufe0f\ufe01\u{e0101}\u{e0102}', '😀\ufe0f'],
  ['half a tag at the end of a text that goes on', 'Hi\udb40', 'Hi'],
])('%s is left out', (_what, text, shown) => {
  expect(leaveOutHidden(text).text).toBe(shown)
})

test.each([
  ['emojis that are joined', '👩‍💻 🏳️‍🌈 👩🏽‍🚀 ❤️ 1️⃣'],
  ['flags that are spelled out', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['Persian and Hindi', 'می‌خواهم क्‍ष'],
  ['words without blanks between them', 'ការ\u200bងារ ภาษา\u200bไทย'],
  ['marks of a direction', 'שלום\u200f! (\u200eabc)'],
])('%s stay as they are', (_what, text) => {
  expect(leaveOutHidden(text).text).toBe(text)
})

const PIECES = [
  'a',
  ' ',
  '\u202e',
  '\u2069',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\u{e0041}',
  '👩',
  'م',
  '🏴',
  '\u{e007f}',
]

test('the beginning of a text shows the beginning of what the whole text shows, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
      const source = pieces.join('')
      const whole = leaveOutHidden(source)
      for (let end = 0; end <= source.length; end++) {
        const shown = leaveOutHidden(source.slice(0, end))
        expect(whole.text.startsWith(shown.text)).toBe(true)
        for (let at = 0; at < shown.text.length; at++) {
          expect(shown.toSource(at)).toBe(whole.toSource(at))
        }
      }
    }),
  )
})
