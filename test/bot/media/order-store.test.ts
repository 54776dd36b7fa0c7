import { expect, onTestFinished, test } from 'vitest'
import { createOrderStore } from '../../../src/bot/media/order-store.ts'
import { registerInstance } from '../../../src/database/instance.ts'
import { openTestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'

test('a lease that is being given back is not taken until the database has it back', async () => {
  const url = await createTestDatabase()
  const { pool, prisma, close } = openTestDatabase({ url })
  const instance = await registerInstance(url, () => {})
  onTestFinished(async () => {
    await instance.release()
    await close()
  })
  const store = createOrderStore({ prisma, instanceId: instance.id })
  const order = await store.insert(ORDER)
  if (order === undefined) throw new Error('The order was not stored')
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT 1 FROM bot."order" WHERE id = $1 FOR UPDATE', [order.id])

  const releasing = store.release(order.id)
  const early = await store.lease(order.id, ['placed'])
  await other.query('COMMIT')
  other.release()
  await releasing

  expect(early).toBeUndefined()
  expect(await store.lease(order.id, ['placed'])).toMatchObject({ leaseOwner: instance.id })
})

const ORDER = {
  user: { id: 501, firstName: 'Anna', languageCode: 'en' },
  chatId: 501,
  threadId: 0,
  commandMessageId: 7,
  request: { prompt: 'a fox', duration: 5, quality: '720p', aspect_ratio: '1280:720' },
  label: 'vidgen-720p-5s',
  priceMicroRub: 40_000_000n,
} as const
