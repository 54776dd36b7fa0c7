import type { Pool } from 'pg'
import { checkSums } from '../../../src/bot/spend/sums.ts'
import { openPrisma } from '../../../src/platform/database/prisma.ts'
import { checkLedger } from '../../../src/service/ledger/check.ts'

/**
 * Judges the money as an operator does, by what `account check` and `spend check` look at.
 *
 * @returns A sentence for each difference that they find; none is good.
 */
export async function findMoneyFaults(pool: Pool): Promise<string[]> {
  const faults = await checkLedger(pool)
  const { differences } = await checkSums(openPrisma(pool))
  return [
    ...faults.map(
      ({ accountName, rule, subject, wantedMicroRub, foundMicroRub }) =>
        `account ${accountName}, ${rule} ${subject ?? ''}: ${foundMicroRub}, not ${wantedMicroRub}`,
    ),
    ...differences.map(
      ({ userId, key, column, wanted, kept }) =>
        `day of ${userId} ${key}: ${column} is ${kept}, not ${wanted}`,
    ),
  ]
}
