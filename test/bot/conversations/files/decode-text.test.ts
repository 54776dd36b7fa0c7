import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../../src/bot/conversations/files/decode-text.ts'
import { encode, encodeUtf16 } from './encode.ts'

const TEXTS = [
  'да',
  'Привет',
  'Привет, мир!',
  'Отчёт за ноябрь: расход 120 руб.',
  'имя;сумма\nВася;12',
]

describe('a text is read in the charset in which it was written', () => {
  test.each(TEXTS)('%j in CP1251, KOI8-R and CP866', (text) => {
    for (const charset of ['windows-1251', 'koi8-r', 'ibm866']) {
      expect(decodeText(encode(text, charset))).toBe(text)
    }
  })

  test.each([...TEXTS, 'plain words, 42', 'a'])(
    '%j in UTF-8 and UTF-16, with a mark and without',
    (text) => {
      expect(decodeText(Buffer.from(text))).toBe(text)
      expect(decodeText(Buffer.from(`\u{feff}${text}`))).toBe(text)
      for (const order of ['le', 'be'] as const) {
        expect(decodeText(encodeUtf16(text, order, { hasMark: true }))).toBe(text)
        expect(decodeText(encodeUtf16(text, order))).toBe(text)
      }
    },
  )

  test.each([
    ['windows-1252', 'Café déjà vu, naïve façade, über die Straße'],
    ['shift_jis', 'これは日本語のテキストです。今日は天気がいいですね。'],
  ])('%s', (charset, text) => {
    const bytes = charset === 'shift_jis' ? SHIFT_JIS : encode(text, charset)

    expect(decodeText(bytes)).toBe(text)
  })
})

test('lines end in one way, wherever the text was written', () => {
  expect(decodeText(Buffer.from('one\r\ntwo\rthree\n'))).toBe('one\ntwo\nthree\n')
})

test.each([
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['random bytes', randomBytes(4096)],
  ['control characters alone', Buffer.from([1, 2, 3, 4, 5, 6, 7])],
])('%s is no text', (_, bytes) => {
  expect(decodeText(bytes)).toBeUndefined()
})

test('colours of a terminal and a page break are text', () => {
  expect(decodeText(Buffer.from('\x1b[31mred\x1b[0m\fnext'))).toBe('\x1b[31mred\x1b[0m\fnext')
})

/** `これは日本語のテキストです。今日は天気がいいですね。` */
const SHIFT_JIS = Buffer.from(
  '82b182ea82cd93fa967b8cea82cc8365834c8358836782c582b781428da193fa82cd93568b4382aa82a282a282c582b782cb8142',
  'hex',
)
