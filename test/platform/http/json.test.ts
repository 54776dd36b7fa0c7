import { expect, test } from 'vitest'
import { isJsonObject, parseJson } from '../../../src/platform/http/json.ts'

test('parseJson() of what is no JSON is undefined', () => {
  expect(['{"a":1}', 'null', '<html>', ''].map(parseJson)).toEqual([
    { a: 1 },
    null,
    undefined,
    undefined,
  ])
})

test('isJsonObject() is true for objects alone', () => {
  expect([{}, [], null, 'a', 7, undefined].map(isJsonObject)).toEqual([
    true,
    ...[false, false, false, false, false],
  ])
})
