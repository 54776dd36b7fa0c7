import { expect, test } from 'vitest'
import { toSearchPatterns } from '../../../../src/bot/talk/conversation/search-patterns.ts'

test('a word is looked for in any case, in a database of any locale', () => {
  expect(toSearchPatterns('Ёлка 2x')).toEqual(['[ЕеЁё][лЛ][кК][аА]', '2[xX]'])
})

test('signs mean themselves', () => {
  expect(toSearchPatterns('c++ (?i) ***= ß漢')).toEqual([
    '[cC]\\+\\+',
    '\\(\\?[iI]\\)',
    '\\*\\*\\*\\=',
    'ß漢',
  ])
})
