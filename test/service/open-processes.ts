import { rm } from 'node:fs/promises'
import type { Database } from '../../src/platform/database/database.ts'
import type { RequestKeys } from '../../src/service/http/requests.ts'
import { keyIdOf } from './ledger/ledger-fixture.ts'

/** Keys where the API key of each `fundedAccount()` is its id. */
export const ID_KEYS: RequestKeys = {
  find: async (key) => ({ id: Number(key), keyId: keyIdOf(Number(key)) }),
  recall: () => undefined,
  forget() {},
}

/**
 * Ends the processes of a test and what they shared.
 *
 * @param closers Of the parts of each process, in the order in which they were opened.
 * @throws {Error} If an account's balance is not the sum of its entries.
 */
export async function closeProcesses(
  closers: readonly (() => Promise<unknown>)[],
  { database, mediaDir }: { database: Pick<Database, 'pool' | 'close'>; mediaDir: string },
): Promise<void> {
  const { rows } = await database.pool.query('SELECT * FROM service.ledger_fault')
  for (const closer of closers.toReversed()) await closer().catch(() => {})
  await database.close()
  await rm(mediaDir, { recursive: true })
  if (rows.length > 0) throw new Error('The balance is not the sum of the entries')
}
