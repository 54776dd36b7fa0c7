/** A process that makes requests of the ledger, and reports each that it knows to be held or ended. */
import { v7 as uuidV7 } from 'uuid'
import { openDatabase } from '../../../src/platform/database/database.ts'
import { Ledger } from '../../../src/service/ledger/ledger.ts'
import { toRequest } from '../../service/ledger/ledger-fixture.ts'

export interface Orders {
  url: string
  accounts: number[]
  count: number
}

/** No process has it, so the requests may be taken over at any time. */
const DEAD = 0

process.once('message', async ({ url, accounts, count }: Orders) => {
  const { pool, close } = openDatabase({ url, use: 'requests' })
  const ledger = new Ledger(pool)
  await pool.query('SELECT')
  process.send?.({ kind: 'begins' })
  await Promise.allSettled(
    Array.from({ length: count }, async (_, index) => {
      const accountId = accounts[index % accounts.length] ?? 0
      const requestId = uuidV7()
      await ledger.hold(toRequest({ accountId, requestId, amountMicroRub: 50n, leaseOwner: DEAD }))
      process.send?.({ kind: 'held', requestId })
      if (index % 3 === 0) await ledger.markOutput({ accountId, requestId, upstream: 'up' })
      if (index % 4 === 0) return
      const costMicroRub = BigInt(index % 50)
      const usage = { promptTokens: 1, completionTokens: 1 }
      const end = { accountId, requestId, state: 'settled', reason: 'usage' } as const
      if (await ledger.end({ ...end, costMicroRub, usage })) {
        process.send?.({ kind: 'settled', requestId, cost: Number(costMicroRub) })
      }
    }),
  )
  await close()
  process.disconnect()
})
