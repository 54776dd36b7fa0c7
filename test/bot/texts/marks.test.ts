import { expect, test } from 'vitest'
import {
  markCode,
  markTime,
  showMarks,
  showMarksInMarkdown,
  withoutMarks,
} from '../../../src/bot/texts/marks.ts'

test('codes become formatting where they are shown, also after wide characters and beside other formatting', () => {
  const text = `😀 ${markCode('/limit 1')} or ${markCode('/block 2')}, now`
  const bold = { type: 'bold' as const, offset: text.length - 3, length: 3 }

  const shown = showMarks({ text, entities: [bold] })

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

test('times become entities that each reader sees by their own clock, in Markdown Telegram’s signs', () => {
  const at = new Date('2026-11-21T13:20:00Z')
  const text = `${markCode('/limit 1')} until ${markTime('21 Nov, 16:20', at)}.`

  expect(showMarks({ text })).toEqual({
    text: '/limit 1 until 21 Nov, 16:20.',
    entities: [
      { type: 'code', offset: 0, length: 8 },
      { type: 'date_time', offset: 15, length: 13, unix_time: 1795267200, date_time_format: 'Dt' },
    ],
  })
  expect(withoutMarks(text)).toBe('/limit 1 until 21 Nov, 16:20.')
  expect(showMarksInMarkdown(text)).toBe(
    '/limit 1 until ![21 Nov, 16:20](tg://time?unix=1795267200&format=Dt).',
  )
})
