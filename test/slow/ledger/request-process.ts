/** A process that makes requests of the ledger, in batches, and reports the outcome of each. */
import { openDatabase } from '../../../src/platform/database/database.ts'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import { makeRequests, type Requests } from './requests.ts'

process.once('message', async ({ url, ...requests }: Requests & { url: string }) => {
  const { pool, close } = openDatabase({ url, use: 'requests' })
  const ledger = withLane(pool)
  await pool.query('SELECT')
  process.send?.('begins')
  await makeRequests(ledger, requests, (given) => process.send?.(given))
  await close()
  process.disconnect()
})
