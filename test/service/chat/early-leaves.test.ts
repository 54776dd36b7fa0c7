import { expect, onTestFinished, test } from 'vitest'
import { createEarlyLeaves } from '../../../src/service/chat/early-leaves.ts'
import { EarlyLeavesError } from '../../../src/service/ledger/errors.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'
import { DONE, delta, finish, usage } from '../providers/openai-server.ts'
import { CHAT, startChatService } from './chat-fixture.ts'

async function openScene(leavesMax = 3) {
  const url = await createTestDatabase()
  const databaseClock = await createTestClock(url)
  const { pool, close } = openTestDatabase({ url })
  onTestFinished(close)
  const clock = createManualClock()
  const open = () =>
    createEarlyLeaves({
      sql: pool,
      leavesMax: () => leavesMax,
      onRefused: () => {},
      clock,
      log: { warn: () => {}, error: () => {} },
    })
  const passTime = async (ms: number) => {
    clock.advance(ms)
    await databaseClock.advance(ms)
  }
  return { pool, one: open(), other: open(), passTime }
}

// Promise: The clients of an account leave one chat after the other, and upstreams work for nothing
test('after one more than its bound in ten minutes an account is refused, by both processes that it left, and no one else is', async () => {
  const { pool, one, other, passTime } = await openScene()
  const [leaver, patient] = [await fundedAccount(pool, 1n), await fundedAccount(pool, 1n)]

  for (const process of [one, other, one]) await process.record(leaver)
  one.check(leaver)
  await passTime(60_000)
  await one.record(leaver)
  await other.record(leaver)

  for (const process of [one, other]) {
    expect(() => process.check(leaver)).toThrow(EarlyLeavesError)
    process.check(patient)
  }
  await passTime(9 * 60_000)
  for (const process of [one, other]) process.check(leaver)
})

// Promise: The clients of an account leave one chat after the other, and upstreams work for nothing
test('no more chats of an account than its bound go on unseen at once', async () => {
  const { one } = await openScene(2)
  const ends = [one.beginUnseen(7), one.beginUnseen(7)]

  expect(() => one.check(7)).toThrow(EarlyLeavesError)
  one.check(8)
  ends[0]?.()
  one.check(7)
})

test('a bound of 0 is none, and an account of ours has none', async () => {
  const [{ one: unbound }, { pool, one }] = [await openScene(0), await openScene(1)]
  const ours = await fundedAccount(pool, 1n)
  one.exempt(ours)

  for (const each of [unbound, one]) {
    await each.record(ours)
    await each.record(ours)
    each.beginUnseen(ours)
    each.check(ours)
  }
})

// Promise: The clients of an account leave one chat after the other, and upstreams work for nothing
test('chats that are left go on unseen as many as the bound; the next is 429 and holds nothing, until they have ended', async () => {
  const gate = Promise.withResolvers<void>()
  const { kopeck, upstream } = await startChatService(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    await gate.promise
    response.end(`${delta('a')}${finish()}${usage(1, 1)}${DONE}`)
  })
  const leaving = new AbortController()
  const body = { ...CHAT, stream: true }
  const left = Array.from({ length: 10 }, () =>
    kopeck.chat(body, { signal: leaving.signal }).catch(() => {}),
  )
  const held = async () => (await kopeck.pool.query('SELECT state FROM service.hold')).rows
  await expect.poll(held).toHaveLength(10)
  await expect.poll(upstream.requestCount).toBe(10)
  leaving.abort()
  await Promise.all(left)
  await expect.poll(() => kopeck.service.readMetrics()).toMatch(/status="499".*} 10\n/)

  const refused = await kopeck.chat(body)

  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('10')
  expect(await refused.json()).toEqual({
    detail: 'Too many chats were left before their answers: try again in 10 s.',
  })
  expect(await held()).toHaveLength(10)
  expect(await kopeck.service.readMetrics()).toContain(
    `kopeck_chat_early_leavers_refused_total{account="${kopeck.accountId}"} 1`,
  )
  gate.resolve()
  await expect.poll(held).toEqual(Array.from({ length: 10 }, () => ({ state: 'settled' })))
  expect((await kopeck.chat(body)).status).toBe(200)
})
