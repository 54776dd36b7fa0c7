import type pg from 'pg'
import { expect, test } from 'vitest'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import {
  changeApiKey,
  createApiKey,
  createProcessKey,
  findApiKey,
  listApiKeys,
  revokeApiKey,
  toPublicId,
} from '../../../src/service/ledger/api-keys.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { findAccountByApiKey, fundedAccount, takeHold } from './ledger-fixture.ts'

let url: string
let pool: pg.Pool
useLedgerPools((opened) => {
  ;({ url, pool } = opened)
})

const DEAD = 0

const findKey = async (key: string) => await findApiKey(pool, toPublicId(key) ?? '')

test('a key opens its account; the database has only a hash of its secret', async () => {
  const accountId = await fundedAccount(pool, 0n)

  const key = await createApiKey(pool, accountId)

  expect(key).toMatch(/^kopeck_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
  expect(await findAccountByApiKey(pool, key)).toMatchObject({ id: accountId })
  const { rows } = await pool.query('SELECT * FROM service.api_key WHERE public_id = $1', [
    toPublicId(key),
  ])
  expect(rows[0].secret_hash).toHaveLength(32)
  expect(JSON.stringify(rows)).not.toContain(key.split('_').slice(2).join('_'))
})

test('a key with anything changed opens nothing', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const [, publicId = '', ...rest] = key.split('_')
  const secret = rest.join('_')
  const other = secret.startsWith('A') ? `B${secret.slice(1)}` : `A${secret.slice(1)}`

  const changed = [
    '',
    'kopeck',
    secret,
    `kopeck_${publicId}_${other}`,
    `kopeck_0000000000000000_${secret}`,
    `kopek_${publicId}_${secret}`,
    `${key}=`,
    ` ${key}`,
    `kopeck_${publicId}' OR true --_${secret}`,
  ]
  for (const each of changed) expect(await findAccountByApiKey(pool, each)).toBeUndefined()
})

test('revokeApiKey() takes the key or its public id, and may be repeated', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const keys = [await createApiKey(pool, accountId), await createApiKey(pool, accountId)]
  const [first = '', second = ''] = keys
  const publicId = second.split('_')[1] ?? ''

  await revokeApiKey(pool, first)
  await revokeApiKey(pool, publicId)
  const again = await revokeApiKey(pool, publicId)

  expect(again).toEqual({ publicId, accountId })
  for (const key of keys) expect(await findAccountByApiKey(pool, key)).toBeUndefined()
  expect(await revokeApiKey(pool, 'nobody')).toBeUndefined()
})

test('a process key lives as long as its process: others that share the account keep theirs', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const neighbour = await registerInstance({ url, onError: () => {} })
  const byHand = await createApiKey(pool, accountId)
  const ofDead = await createProcessKey(pool, { accountId, instanceId: DEAD })
  const ofNeighbour = await createProcessKey(pool, { accountId, instanceId: neighbour.id })

  const own = await createProcessKey(pool, { accountId, instanceId: 2 })

  const opens = async (key: string) => (await findAccountByApiKey(pool, key)) !== undefined
  expect(await Promise.all([ofDead, ofNeighbour, byHand, own].map(opens))).toEqual([
    false,
    true,
    true,
    true,
  ])
  expect((await findKey(ofDead))?.state).toBe('revoked')
  await neighbour.release()
})

test('changeApiKey() changes the terms that are named and no others', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const terms = { name: 'shop', spendLimitMicroRub: 5n, models: ['alpha', 'vidgen'] }
  const key = await createApiKey(pool, accountId, terms)
  const expiresAt = new Date('2100-01-01')

  const changed = await changeApiKey(pool, key, { expiresAt, models: null })

  const listed = await findKey(key)
  expect(changed).toEqual({ publicId: toPublicId(key), accountId })
  expect(listed).toMatchObject({ ...terms, models: null, expiresAt })
  expect(listed).toMatchObject({ state: 'valid', spentMicroRub: 0n })
})

test('a key opens nothing once it has expired, and opens its account again when its end moves on', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const key = await createApiKey(pool, accountId, { expiresAt: new Date('2020-01-01') })
  const state = async () => (await findKey(key))?.state

  const before = [await findAccountByApiKey(pool, key), await state()]
  await changeApiKey(pool, key, { expiresAt: new Date('2100-01-01') })
  const after = [await findAccountByApiKey(pool, key), await state()]

  expect(before).toEqual([undefined, 'expired'])
  expect(after).toEqual([expect.objectContaining({ id: accountId, models: null }), 'valid'])
})

test('a key was last used when its newest chat began', async () => {
  const accountId = await fundedAccount(pool, 10n)
  const used = toPublicId(await createApiKey(pool, accountId)) ?? ''
  const unused = toPublicId(await createApiKey(pool, accountId))
  await takeHold(pool, { accountId, keyId: used, amountMicroRub: 1n })

  const listed = await listApiKeys(pool, accountId)

  const lastUsed = new Map(listed.map((key) => [key.publicId, key.lastUsedAt]))
  expect(lastUsed.get(used)).toBeInstanceOf(Date)
  expect(lastUsed.get(unused ?? '')).toBeNull()
})
