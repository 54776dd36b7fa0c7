import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRepeatedNames } from '../../../src/platform/http/json.ts'

test.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"a":{"b":[{},{"c":1,"d":2,"c":3}]}}', ['a.b[1].c']],
  ['{"a":1,"a":2,"a":3}', ['a']],
  ['{"\\u0061":1,"a":2}', ['a']],
  ['{"a":{"a":1},"b":{"a":1}}', []],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['["a","a"]', []],
])('names that %s has twice are found with their paths', (json, paths) => {
  expect(findRepeatedNames(json)).toEqual(paths)
})

test('what JSON.stringify() writes has no name twice', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const written = JSON.stringify(JSON.parse(json))

      expect(findRepeatedNames(written)).toEqual([])
    }),
  )
})
