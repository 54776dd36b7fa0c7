import { expect, test } from 'vitest'
import { nameParameters } from '../../../src/platform/database/named-statement.ts'

test('the names of a statement are numbered, one that occurs twice once, and casts are left alone', () => {
  const { text, valuesOf } = nameParameters('SELECT :a::text, (1)::int, :b WHERE :a IS NULL')

  expect(text).toBe('SELECT $1::text, (1)::int, $2 WHERE $1 IS NULL')
  expect(valuesOf({ b: 2, a: 'x' })).toEqual(['x', 2])
})

test('a value that is missing, and one that the statement does not have, are refused', () => {
  const { valuesOf } = nameParameters('SELECT :a')

  expect(() => valuesOf({})).toThrow(TypeError)
  expect(() => valuesOf({ a: 1, b: 2 })).toThrow(TypeError)
})
