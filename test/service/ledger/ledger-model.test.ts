import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adjustBalance } from '../../../src/service/ledger/adjust-balance.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import { BalanceTooLowError, SpendLimitReachedError } from '../../../src/service/ledger/errors.ts'
import { markFirstOutput } from '../../../src/service/ledger/hold.ts'
import { createApiKey, listApiKeys, toPublicId } from '../../../src/service/ledger/keys/api-keys.ts'
import { takeOverHolds } from '../../../src/service/ledger/take-over-holds.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  balanceOf,
  createRandom,
  fundedAccount,
  keyIdOf,
  ledgerFaults,
  takeHold,
} from './ledger-fixture.ts'

const DEAD = 0
const STEPS = 250

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 8 })
})
afterAll(() => pool.end())

interface ModelKey {
  id: string
  limit: bigint
  spent: bigint
}

interface ModelHold {
  id: string
  key: ModelKey
  amount: bigint
  cost: bigint
  open: boolean
  output: boolean
  isGuessed: boolean
}

test.each([1, 7, 42, 1905])(
  'the ledger does what plain arithmetic says, in random order (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const accountId = await fundedAccount(pool, 5000n)
    const keys = [
      { id: keyIdOf(accountId), limit: 1_000_000n, spent: 0n },
      { id: await limitedKey(accountId, 1500n), limit: 1500n, spent: 0n },
    ]
    const holds: ModelHold[] = []
    let balance = 5000n
    const move = (key: ModelKey, amount: bigint) => {
      balance += amount
      key.spent -= amount
    }
    const end = (hold: ModelHold, cost: bigint) => {
      move(hold.key, hold.cost - cost)
      hold.cost = cost
      hold.open = hold.isGuessed = false
    }

    for (let step = 0; step < STEPS; step += 1) {
      const target = holds[random(Math.max(1, holds.length))]
      const amount = BigInt(random(900))
      switch (random(7)) {
        case 0: {
          await adjustBalance(pool, { accountId, amountMicroRub: amount + 1n })
          balance += amount + 1n
          break
        }
        case 1:
        case 2: {
          const id = randomUUID()
          const key = keys[random(2)] as ModelKey
          const taken = await attemptHold({ requestId: id, accountId, keyId: key.id }, amount)
          expect(taken).toBe(balance >= amount && key.spent + amount <= key.limit)
          if (!taken) break
          move(key, -amount)
          holds.push({ id, key, amount, cost: amount, open: true, output: false, isGuessed: false })
          break
        }
        case 3: {
          if (target === undefined) break
          const did = await settle(pool, {
            requestId: target.id,
            costMicroRub: amount,
            usage: { promptTokens: 1, completionTokens: 1 },
          })
          expect(did).toBe(target.open || target.isGuessed)
          if (did) end(target, amount)
          break
        }
        case 4: {
          if (target === undefined) break
          const did = await release(pool, target.id)
          expect(did).toBe(target.open || (target.isGuessed && target.output))
          if (did) end(target, 0n)
          break
        }
        case 5: {
          if (target === undefined) break
          if (random(2) === 0) {
            expect(await markFirstOutput(pool, target.id)).toBe(target.open)
            target.output ||= target.open
          } else {
            const did = await keep(pool, target.id)
            expect(did).toBe(target.open)
            if (did) end(target, target.amount)
          }
          break
        }
        default: {
          if (random(8) > 0) break
          await takeOverHolds(pool)
          for (const each of holds.filter(({ open }) => open)) {
            end(each, each.output ? each.amount : 0n)
            each.isGuessed = true
          }
        }
      }
      expect(await balanceOf(pool, accountId)).toBe(balance)
    }
    for (const { id, spent } of keys) expect(await spentOf(id)).toBe(spent)
    expect(await ledgerFaults(pool)).toEqual([])
  },
)

async function limitedKey(accountId: number, spendLimitMicroRub: bigint): Promise<string> {
  return toPublicId(await createApiKey(pool, accountId, { spendLimitMicroRub })) ?? ''
}

async function spentOf(keyId: string): Promise<bigint | undefined> {
  const keys = await listApiKeys(pool)
  return keys.find(({ publicId }) => publicId === keyId)?.spentMicroRub
}

async function attemptHold(
  request: { requestId: string; accountId: number; keyId: string },
  amountMicroRub: bigint,
) {
  try {
    await takeHold(pool, { ...request, amountMicroRub, leaseOwner: DEAD })
    return true
  } catch (error) {
    const isTooMuch = error instanceof BalanceTooLowError || error instanceof SpendLimitReachedError
    if (isTooMuch) return false
    throw error
  }
}
