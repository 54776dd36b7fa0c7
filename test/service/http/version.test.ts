import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../service-fixture.ts'

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService()
})
afterAll(() => kopeck[Symbol.asyncDispose]())

test('the interface is below /api/v1 and nowhere else', async () => {
  const headers = { authorization: `Bearer ${kopeck.apiKey}` }
  const statusOf = async (path: string) => (await fetch(kopeck.origin + path, { headers })).status

  const version = await statusOf('/api/v1/balance')
  const others = await Promise.all(
    ['/balance', '/v1/balance', '/api/balance', '/api/v2/balance', '/api/v10/balance'].map(
      statusOf,
    ),
  )

  expect(version).toBe(200)
  expect(others).toEqual([404, 404, 404, 404, 404])
})
