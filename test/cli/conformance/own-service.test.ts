import { beforeAll, expect, test } from 'vitest'
import type { Report } from '../../../src/cli/conformance/conformance.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { lookAtOwnService } from './look-at-own-service.ts'

let report: Report

beforeAll(async () => {
  const url = await createTestDatabase()
  report = await lookAtOwnService(url, await createTestClock(url))
})

// Promise: Our own service changes so that a rule of the interface breaks
test('our own service keeps every rule of the interface that can be seen from outside', () => {
  expect(report.results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('every rule is seen, but that of names in the DNS, and states that pass sooner than may be polled', () => {
  const unseen = report.results.filter(({ outcome }) => outcome !== 'passed')

  const isState = (rule: string) => /^task-(waiting|queuing|generating)$/.test(rule)
  expect(unseen.map(({ rule }) => rule).filter((rule) => !isState(rule))).toEqual([
    'callback-names',
  ])
})
