import { expect, test } from 'vitest'
import { toPublicId } from '../../src/service/ledger/api-keys.ts'
import { markOutput, takeHold } from './ledger/ledger-fixture.ts'
import { startTestService } from './service-fixture.ts'

const DEAD = 0
const BOT = { name: 'bot', creditMicroRub: 5_000_000n }

test('ensureAccount() credits the account once and gives each process a key of its own', async () => {
  await using kopeck = await startTestService()

  const first = await kopeck.service.ensureAccount(BOT)
  const second = await kopeck.service.ensureAccount(BOT)

  expect(second.accountId).toBe(first.accountId)
  const headers = { authorization: `Bearer ${second.apiKey}` }
  expect(await (await kopeck.call('/balance', { headers })).json()).toEqual({ balance_rub: 5 })
})

test('start() ends the holds of processes that died, by the crash rule', async () => {
  await using kopeck = await startTestService({ creditMicroRub: 100n })
  const { accountId, apiKey } = kopeck
  const request = { accountId, keyId: toPublicId(apiKey) ?? '', leaseOwner: DEAD }
  await takeHold(kopeck.pool, { ...request, amountMicroRub: 10n })
  const heard = await takeHold(kopeck.pool, { ...request, amountMicroRub: 20n })
  await markOutput(kopeck.pool, heard)

  await kopeck.service.start()

  expect(await kopeck.balance()).toBe(80n)
})
