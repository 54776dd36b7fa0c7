import { randomUUID } from 'node:crypto'
import { isDatabaseTrouble } from '../../../src/platform/database/trouble.ts'
import type { LedgerSql } from '../../../src/service/ledger/batch/operation.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import { RequestRefusedError } from '../../../src/service/ledger/errors.ts'
import { markFirstOutput } from '../../../src/service/ledger/hold.ts'
import { chargeTask } from '../../../src/service/ledger/task-charge.ts'
import { keyIdOf, takeHold, WIDE_LIMIT } from '../../service/ledger/ledger-fixture.ts'

/** The outcome that one request was given; none where no answer came. */
export interface GivenOutcome {
  requestId: string
  outcome: 'refused' | 'held' | 'marked' | 'settled' | 'released' | 'kept' | 'charged'
  costMicroRub?: number
}

export interface Requests {
  accounts: readonly number[]
  count: number
  leaseOwner: number
}

/** Has requests take, mark and end holds, and some order a clip, until each has ended or lost its connection. */
export async function makeRequests(
  sql: LedgerSql,
  { accounts, count, leaseOwner }: Requests,
  report: (given: GivenOutcome) => void,
): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => request(index).catch(lost)))

  async function request(index: number): Promise<void> {
    const [requestId, accountId] = [randomUUID(), accounts[index % accounts.length] ?? 0]
    const amountMicroRub = BigInt(100 + index)
    try {
      await takeHold(sql, { requestId, accountId, amountMicroRub, leaseOwner })
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) throw error
      return report({ requestId, outcome: 'refused' })
    }
    report({ requestId, outcome: 'held' })
    if (index % 2 === 0 && (await markFirstOutput(sql, requestId))) {
      report({ requestId, outcome: 'marked' })
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
    report({ requestId: idempotencyKey, outcome: 'charged' })
  }

  async function end(requestId: string, index: number): Promise<void> {
    if (index % 4 === 1) {
      if (await release(sql, requestId)) report({ requestId, outcome: 'released' })
    } else if (index % 8 === 0) {
      if (await keep(sql, requestId)) report({ requestId, outcome: 'kept' })
    } else {
      const cost = { costMicroRub: BigInt(index), usage: { promptTokens: 1, completionTokens: 1 } }
      if (await settle(sql, { requestId, ...cost })) {
        report({ requestId, outcome: 'settled', costMicroRub: index })
      }
    }
  }
}

function lost(error: unknown): void {
  if (!isDatabaseTrouble(error) && !(error instanceof RequestRefusedError)) throw error
}
