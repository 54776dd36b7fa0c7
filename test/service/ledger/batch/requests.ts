import { randomUUID } from 'node:crypto'
import { isDatabaseTrouble } from '../../../../src/platform/database/trouble.ts'
import type { LedgerSql } from '../../../../src/service/ledger/batch/operation.ts'
import { keep, release, settle } from '../../../../src/service/ledger/end-hold.ts'
import { RequestRefusedError } from '../../../../src/service/ledger/errors.ts'
import { markFirstOutput } from '../../../../src/service/ledger/hold.ts'
import { chargeTask } from '../../../../src/service/ledger/task-charge.ts'
import { keyIdOf, takeHold, WIDE_LIMIT } from '../ledger-fixture.ts'

/** What one request was told; nothing where no answer came. */
export interface Told {
  requestId: string
  said: 'refused' | 'held' | 'marked' | 'settled' | 'released' | 'kept' | 'charged'
  costMicroRub?: number
}

export interface Requests {
  accounts: readonly number[]
  /** How many at once. */
  count: number
  leaseOwner: number
}

/** Has requests take, mark and end holds, and some order a clip, until each has ended or lost its connection. */
export async function makeRequests(
  sql: LedgerSql,
  { accounts, count, leaseOwner }: Requests,
  tell: (told: Told) => void,
): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => request(index).catch(lost)))

  async function request(index: number): Promise<void> {
    const [requestId, accountId] = [randomUUID(), accounts[index % accounts.length] ?? 0]
    const amountMicroRub = BigInt(100 + index)
    try {
      await takeHold(sql, { requestId, accountId, amountMicroRub, leaseOwner })
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) throw error
      return tell({ requestId, said: 'refused' })
    }
    tell({ requestId, said: 'held' })
    if (index % 2 === 0 && (await markFirstOutput(sql, requestId))) {
      tell({ requestId, said: 'marked' })
    }
    if (index % 7 === 0) await order(requestId, accountId)
    await end(requestId, index)
  }

  async function order(idempotencyKey: string, accountId: number): Promise<void> {
    await chargeTask(sql, {
      accountId,
      keyId: keyIdOf(accountId),
      limit: WIDE_LIMIT,
      model: 'vidgen',
      endpoint: 'videos/x',
      params: {},
      label: 'clip',
      amountMicroRub: 40n,
      idempotencyKey,
    })
    tell({ requestId: idempotencyKey, said: 'charged' })
  }

  async function end(requestId: string, index: number): Promise<void> {
    if (index % 4 === 1) {
      if (await release(sql, requestId)) tell({ requestId, said: 'released' })
    } else if (index % 8 === 0) {
      if (await keep(sql, requestId)) tell({ requestId, said: 'kept' })
    } else {
      const cost = { costMicroRub: BigInt(index), usage: { promptTokens: 1, completionTokens: 1 } }
      if (await settle(sql, { requestId, ...cost })) {
        tell({ requestId, said: 'settled', costMicroRub: index })
      }
    }
  }
}

function lost(error: unknown): void {
  if (!isDatabaseTrouble(error) && !(error instanceof RequestRefusedError)) throw error
}
