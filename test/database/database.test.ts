import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/database.ts'
import { isDatabaseTrouble } from '../../src/database/trouble.ts'
import { openCuttableProxy } from '../bot/cuttable-proxy.ts'
import { createTestDatabase } from './test-database.ts'

test('reconnect() fails what has no answer as trouble, and the next statement connects anew', async () => {
  const url = new URL(await createTestDatabase())
  const proxy = await openCuttableProxy(Number(url.port))
  onTestFinished(proxy.cut)
  url.host = `127.0.0.1:${proxy.port}`
  const { pool, reconnect, close } = openDatabase({ url: url.href })
  onTestFinished(close)
  await pool.query('SELECT')
  proxy.swallow()
  const asked = pool.query('SELECT').catch((error: unknown) => error)

  reconnect()

  expect(isDatabaseTrouble(await asked)).toBe(true)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
