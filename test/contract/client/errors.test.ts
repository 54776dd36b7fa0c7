import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { InvalidRequestError, StreamBrokenError } from '../../../src/contract/client/errors.ts'

test('ServiceError shows neither text nor detail to a serializer', () => {
  const broken = new StreamBrokenError('broken', { text: 'a secret answer', detail: 'a secret' })
  const invalid = new InvalidRequestError('invalid', { status: 422, detail: 'a secret' })

  for (const error of [broken, invalid]) {
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('secret')
    expect(JSON.stringify(error)).not.toContain('secret')
  }
  expect(broken).toMatchObject({ text: 'a secret answer', detail: 'a secret' })
  expect(invalid.detail).toBe('a secret')
})
