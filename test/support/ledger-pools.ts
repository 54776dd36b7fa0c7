import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { ledgerFaults } from '../service/ledger/ledger-fixture.ts'

export interface LedgerPools {
  url: string
  /** The pools of two processes. */
  pool: pg.Pool
  other: pg.Pool
}

/** Opens a database for the tests of one file. After each test its ledger is right. */
export function useLedgerPools(onOpened: (opened: LedgerPools) => void): void {
  let opened: LedgerPools

  beforeAll(async () => {
    const url = await createTestDatabase()
    const open = () => new pg.Pool({ connectionString: url, max: 12 }).on('error', () => {})
    opened = { url, pool: open(), other: open() }
    onOpened(opened)
  })
  afterEach(async () => {
    expect(await ledgerFaults(opened.pool)).toEqual([])
  })
  afterAll(() => Promise.all([opened.pool.end(), opened.other.end()]))
}
