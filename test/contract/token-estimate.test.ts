import { describe, expect, test } from 'vitest'
import {
  addHoldMargin,
  cutToTokens,
  estimatePromptTokens,
  estimateTokens,
  leastPromptTokens,
} from '../../src/contract/token-estimate.ts'

const HOSTILE = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '😀',
  '👨‍👩‍👧',
  'e\u0301'.repeat(50),
  'щ'.repeat(1000),
  'a\n\tb',
  '\u{10ffff}',
  '{"a":[1,2,3]}',
  'مرحبا',
]

describe('estimateTokens()', () => {
  test.each([
    ['English', 'Write a function that returns the number of words in a text.', 0.18, 0.24],
    ['Russian', 'Напиши функцию, которая возвращает число слов в тексте.', 0.23, 0.29],
    ['code', 'function f(a){return a.map((x)=>x*2).filter(Boolean)}', 0.26, 0.34],
    ['JSON', '{"id":12,"name":"x","list":[1,2,3]}', 0.36, 0.5],
    ['Chinese', '今天天气很好我们去公园吧', 0.65, 0.8],
    ['digits', '31415926535897932384', 0.3, 0.4],
    ['emoji', '😀😀😀😀😀😀😀😀😀😀', 1, 1.2],
  ])('comes near to what tokenizers count for %s', (_, text, least, most) => {
    const perCodePoint = estimateTokens(text) / Array.from(text).length

    expect(perCodePoint).toBeGreaterThanOrEqual(least)
    expect(perCodePoint).toBeLessThanOrEqual(most)
  })

  test('is a whole number, 0 only for an empty text', () => {
    const estimates = HOSTILE.map((text) => estimateTokens(text))

    expect(estimates.every(Number.isSafeInteger)).toBe(true)
    expect(estimates.map((tokens) => tokens === 0)).toEqual(HOSTILE.map((text) => text === ''))
  })

  test('never falls when text is added, and never gains by joining', () => {
    for (const left of HOSTILE) {
      for (const right of HOSTILE) {
        // A half of a letter that meets its other half becomes a different letter.
        if (!left.isWellFormed() || !right.isWellFormed()) continue
        const joined = estimateTokens(left + right)

        expect(joined).toBeGreaterThanOrEqual(Math.max(estimateTokens(left), estimateTokens(right)))
        expect(joined).toBeLessThanOrEqual(estimateTokens(left) + estimateTokens(right))
      }
    }
  })
})

describe('estimatePromptTokens()', () => {
  test('counts every message beside its text', () => {
    const one = estimatePromptTokens([{ role: 'user', content: 'hello' }])
    const two = estimatePromptTokens([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hello' },
    ])

    expect(one).toBeGreaterThan(estimateTokens('hello'))
    expect(two - one).toBeGreaterThan(estimateTokens('hello'))
  })
})

test('addHoldMargin() gives a whole number a quarter above the estimate', () => {
  expect(addHoldMargin(100)).toBe(125)
  expect(addHoldMargin(101)).toBe(127)
})

describe('cutToTokens()', () => {
  test('keeps the longest prefix whose estimate fits', () => {
    for (const text of ['Привет, мир! 😀😀 const x = 1', '😀😀😀', 'aaaaaaaaaaaa']) {
      for (let tokens = 0; tokens <= estimateTokens(text); tokens++) {
        const kept = cutToTokens(text, tokens)
        const next = String.fromCodePoint(text.codePointAt(kept.length) ?? 0)

        expect(text.startsWith(kept)).toBe(true)
        expect(kept.isWellFormed()).toBe(true)
        expect(estimateTokens(kept)).toBeLessThanOrEqual(tokens)
        if (kept !== text) expect(estimateTokens(kept + next)).toBeGreaterThan(tokens)
      }
    }
  })
})

test.each(HOSTILE)('leastPromptTokens() of %j is never above the estimate', (text) => {
  const messages = [{ role: 'user', content: text.repeat(100) } as const]

  expect(leastPromptTokens(messages)).toBeLessThanOrEqual(estimatePromptTokens(messages))
})
