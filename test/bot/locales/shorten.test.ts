import { expect, test } from 'vitest'
import { shorten, shortenLine } from '../../../src/bot/locales/shorten.ts'

test('shorten() leaves what fits, and counts the sign of a cut among the characters', () => {
  expect(shorten('12345', 5)).toBe('12345')
  expect(shorten('123456', 5)).toBe('1234…')
  expect(shorten('123 567', 5)).toBe('123…')
})

test('shorten() cuts no character in two', () => {
  expect(shorten('🦊🦊🦊', 3)).toBe('🦊🦊🦊')
  expect(shorten('🦊🦊🦊🦊', 3)).toBe('🦊🦊…')
})

test('shortenLine() makes one line of any text', () => {
  expect(shortenLine('  A\n\n B\tC ', 10)).toBe('A B C')
  expect(shortenLine('  \n ', 10)).toBe('')
})
