import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createAccount,
  findAccount,
  findCallbackSecret,
  findOrCreateAccount,
  renameAccount,
} from '../../../src/service/ledger/accounts.ts'
import { inTransaction } from '../../../src/service/ledger/sql.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { entriesOf, ledgerFaults } from './ledger-fixture.ts'

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})
afterAll(() => pool.end())

test('createAccount() begins the ledger with the credit, or with nothing', async () => {
  const rich = await createAccount(pool, { name: 'rich', creditMicroRub: 5n })
  const poor = await createAccount(pool, { name: 'poor', creditMicroRub: 0n })

  expect([rich.balanceMicroRub, poor.balanceMicroRub]).toEqual([5n, 0n])
  expect(await entriesOf(pool, rich.id)).toEqual([['credit', 5n]])
  expect(await entriesOf(pool, poor.id)).toEqual([])
})

test('createAccount() gives each account a callback secret of its own', async () => {
  const first = await createAccount(pool, { name: 'secret 1', creditMicroRub: 0n })
  const second = await createAccount(pool, { name: 'secret 2', creditMicroRub: 0n })

  const secrets = [
    await findCallbackSecret(pool, first.id),
    await findCallbackSecret(pool, second.id),
  ]

  expect(new Set(secrets).size).toBe(2)
})

test('createAccount() gives a name once', async () => {
  await createAccount(pool, { name: 'once', creditMicroRub: 1n })

  const again = createAccount(pool, { name: 'once', creditMicroRub: 1n })

  await expect(again).rejects.toThrow('the name is taken')
})

test('renameAccount() gives a name that no other account has', async () => {
  const { id } = await createAccount(pool, { name: 'before', creditMicroRub: 3n })
  await createAccount(pool, { name: 'in use', creditMicroRub: 0n })

  const renamed = await renameAccount(pool, { accountId: id, name: 'after' })
  const taken = renameAccount(pool, { accountId: id, name: 'in use' })

  expect(renamed).toEqual({ id, name: 'after', state: 'open', balanceMicroRub: 3n })
  await expect(taken).rejects.toThrow('the name "in use" is taken')
  expect(await renameAccount(pool, { accountId: 999_999, name: 'nobody' })).toBeUndefined()
})

test('findOrCreateAccount() racing for one name makes one account and credits it once', async () => {
  const account = { name: 'shared', creditMicroRub: 5n }

  const found = await Promise.all(
    Array.from({ length: 8 }, () => findOrCreateAccount(pool, account)),
  )

  expect(new Set(found.map(({ id }) => id)).size).toBe(1)
  expect(found.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await findAccount(pool, found[0]?.id ?? 0)).toMatchObject({ balanceMicroRub: 5n })
})

test('inTransaction() undoes everything when its work fails', async () => {
  const failed = inTransaction(pool, async (sql) => {
    await createAccount(sql, { name: 'undone', creditMicroRub: 1n })
    throw new Error('on purpose')
  })

  await expect(failed).rejects.toThrow('on purpose')
  const { rowCount } = await pool.query("SELECT FROM service.account WHERE name = 'undone'")
  expect(rowCount).toBe(0)
})
