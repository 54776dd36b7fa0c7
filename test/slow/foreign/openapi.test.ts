import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { readOpenApi } from '../../service/http/openapi-document.ts'
import { startTestService } from '../../service/service-fixture.ts'

test('the document is OpenAPI 3.1, and Redocly finds nothing that a reader or a generator of clients would miss', async () => {
  await using kopeck = await startTestService()
  const document = await readOpenApi(kopeck)
  const config = await createConfig({
    extends: ['recommended-strict'],
    // The service has no licence to name.
    rules: { 'info-license': 'off' },
  })

  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  })

  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  expect(document.openapi).toBe('3.1.0')
})
