import { expect, test } from 'vitest'
import { toSearchPatterns } from '../../../../src/bot/talk/conversation/search-patterns.ts'

// Promise: The database’s locale knows no letters but ASCII
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

test('words and their lengths have a bound', () => {
  const [first, ...others] = toSearchPatterns('漢'.repeat(100).concat(' 漢'.repeat(20)))

  expect(first).toBe('漢'.repeat(64))
  expect(others).toHaveLength(7)
})
