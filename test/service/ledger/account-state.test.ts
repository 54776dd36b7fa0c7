import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AccountState, setAccountState } from '../../../src/service/ledger/accounts.ts'
import { adjustBalance } from '../../../src/service/ledger/adjust-balance.ts'
import { settle } from '../../../src/service/ledger/end-hold.ts'
import { AccountFrozenError, InvalidKeyError } from '../../../src/service/ledger/errors.ts'
import { createApiKey, findAccountByApiKey } from '../../../src/service/ledger/keys/api-keys.ts'
import { chargeTask, failTask } from '../../../src/service/ledger/task-charge.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  balanceOf,
  entriesOf,
  fundedAccount,
  keyIdOf,
  ledgerFaults,
  takeHold,
  untilSomebodyWaits,
  WIDE_LIMIT,
} from './ledger-fixture.ts'

const LIMIT = { route: 'chats/completions', requestsMax: 3, windowMs: 60_000 }
const USAGE = { promptTokens: 1, completionTokens: 1 }

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 20 })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})
afterAll(() => pool.end())

function setState(accountId: number, state: AccountState) {
  return setAccountState(pool, { accountId, state })
}

function createTask(accountId: number, idempotencyKey?: string) {
  return chargeTask(pool, {
    accountId,
    keyId: keyIdOf(accountId),
    limit: WIDE_LIMIT,
    model: 'vidgen',
    amountMicroRub: 40n,
    endpoint: 'videos/vidgen-generate',
    params: { prompt: 'snow' },
    label: 'vidgen-720p-5s',
    idempotencyKey,
  })
}

test('a frozen account spends nothing and its requests count nothing, until it is opened again', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const ask = () => takeHold(pool, { accountId, amountMicroRub: 10n, limit: LIMIT })
  await setState(accountId, 'frozen')

  const refused = await Promise.allSettled([1, 2, 3, 4].map(ask))
  await expect(createTask(accountId)).rejects.toBeInstanceOf(AccountFrozenError)
  const open = await setState(accountId, 'open')
  const taken = await Promise.allSettled([1, 2, 3].map(ask))

  for (const outcome of refused) {
    expect(outcome).toMatchObject({ reason: expect.any(AccountFrozenError) })
  }
  expect(open).toMatchObject({ state: 'open', balanceMicroRub: 100n })
  expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
})

// Promise: An account is frozen or closed while a request takes its money
test.each([
  ['frozen', 'COMMIT', AccountFrozenError],
  ['closed', 'COMMIT', InvalidKeyError],
  ['frozen', 'ROLLBACK', undefined],
] as const)(
  'a hold waits for an account that is being %s, and after %s is judged by what it is then',
  async (state, end, refusal) => {
    const accountId = await fundedAccount(pool, 100n)
    const operator = await pool.connect()
    await operator.query('BEGIN')
    await setAccountState(operator, { accountId, state })

    const taking = takeHold(pool, { accountId, amountMicroRub: 30n })
    const outcome = taking.then(
      () => undefined,
      (error: unknown) => error,
    )
    await untilSomebodyWaits(pool)
    await operator.query(end)
    operator.release()

    if (refusal === undefined) expect(await outcome).toBeUndefined()
    else expect(await outcome).toBeInstanceOf(refusal)
    expect(await balanceOf(pool, accountId)).toBe(refusal === undefined ? 70n : 100n)
  },
)

// Promise: An account is frozen or closed while a request takes its money
test('a freeze waits for a hold that is being taken, which stands and is settled', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const taker = await pool.connect()
  await taker.query('BEGIN')
  const requestId = await takeHold(taker, { accountId, amountMicroRub: 30n })

  const freezing = setState(accountId, 'frozen')
  await untilSomebodyWaits(pool)
  await taker.query('COMMIT')
  taker.release()
  const frozen = await freezing
  const isSettled = await settle(pool, { requestId, costMicroRub: 20n, usage: USAGE })

  expect(frozen).toMatchObject({ state: 'frozen', balanceMicroRub: 70n })
  expect(isSettled).toBe(true)
  expect(await balanceOf(pool, accountId)).toBe(80n)
})

// Promise: An account is frozen or closed while a request takes its money
test('what a closed account has under way ends by its rules, and the rest can be paid out', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 30n })
  const taskId = await createTask(accountId)
  await pool.query('UPDATE service.task SET lease_owner = 7 WHERE id = $1', [taskId])

  await setState(accountId, 'closed')
  await settle(pool, { requestId, costMicroRub: 20n, usage: USAGE })
  await failTask(pool, { taskId, leaseOwner: 7 }, { code: 502, message: 'no' })
  const paidOut = await adjustBalance(pool, { accountId, amountMicroRub: -80n })

  expect(paidOut).toEqual({ balanceMicroRub: 0n, isRepeat: false })
  expect((await entriesOf(pool, accountId)).slice(-3)).toEqual([
    ['settlement', 10n],
    ['refund', 40n],
    ['debit', -80n],
  ])
})

test('no key opens a closed account, and closing is for good', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const apiKey = await createApiKey(pool, accountId)
  const before = await findAccountByApiKey(pool, apiKey)

  await setState(accountId, 'closed')
  const reopened = await setState(accountId, 'open')

  expect(before).toBeDefined()
  expect(reopened?.state).toBe('closed')
  expect(await findAccountByApiKey(pool, apiKey)).toBeUndefined()
  const refused = takeHold(pool, { accountId, amountMicroRub: 1n })
  await expect(refused).rejects.toBeInstanceOf(InvalidKeyError)
})

test('a creation that is repeated while its account is frozen gives the first task', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const taskId = await createTask(accountId, 'same')
  await setState(accountId, 'frozen')

  expect(await createTask(accountId, 'same')).toBe(taskId)
})
