import { expect, test } from 'vitest'
import { markCode, markCodes, showCodes, withoutMarks } from '../../../src/bot/locales/codes.ts'

test('codes become formatting where they are shown, also after wide characters and beside other formatting', () => {
  const text = `😀 ${markCode('/limit 1')} or ${markCode('/block 2')}, now`
  const bold = { type: 'bold' as const, offset: text.length - 3, length: 3 }

  const shown = showCodes({ text, entities: [bold] })

  expect(shown.text).toBe('😀 /limit 1 or /block 2, now')
  expect(
    shown.entities?.map(({ type, offset, length }) => [
      type,
      shown.text.slice(offset, offset + length),
    ]),
  ).toEqual([
    ['bold', 'now'],
    ['code', '/limit 1'],
    ['code', '/block 2'],
  ])
})

test('a text without codes stays as it is, be there backticks in it or not', () => {
  const given = { text: 'a `b` c', entities: undefined }

  expect(showCodes(given)).toEqual(given)
  expect(withoutMarks(given.text)).toBe(given.text)
})

test('backticks in the source of the texts are marks, one line at a time', () => {
  expect(withoutMarks(markCodes('a = `/x 1` and `/y 2`'))).toBe('a = /x 1 and /y 2')
  expect(markCodes('a = `b\nc = d`')).toBe('a = `b\nc = d`')
})
