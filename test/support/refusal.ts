import { expect } from 'vitest'
import type { RefusalReason } from '../../src/service/ledger/errors.ts'

/** Matches the error of a refusal, with those of its facts that are given. */
export function refusal(code: RefusalReason['code'], facts: object = {}): unknown {
  return expect.objectContaining({ reason: expect.objectContaining({ code, ...facts }) })
}
