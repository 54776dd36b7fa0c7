import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import {
  recordOrderCharge,
  takeBackOrderCharge,
} from '../../../src/bot/spend/charges/order-charges.ts'
import { createServiceBalance } from '../../../src/bot/spend/check/service-balance.ts'
import { createServiceClient } from '../../../src/contract/client/service-client.ts'
import { adjustBalance } from '../../../src/service/ledger/adjust-balance.ts'
import { createApiKey } from '../../../src/service/ledger/keys/api-keys.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { rowsOf } from '../../service/rows.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const ADMIN = 501
const USER = 502
const DONE = { timeout: 30_000 }
const EXACT = { written_off: 0n, estimates: 0n, under_way: 0n, credited: 0n, not_ours: 0n }

async function openHouse() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  const telegram = await openTelegram()
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: await findFreePort(),
    ADMIN_IDS: String(ADMIN),
  })
  const { pool, prisma } = database
  const [account] = await rowsOf(pool, 'account')
  const accountId: number = account?.id
  const apiKey = await createApiKey(pool, accountId)
  const service = createServiceClient({ baseUrl: `${kopeck.address}/api/v1`, apiKey })
  const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
  const balance = createServiceBalance({ prisma, service, calendar })
  onTestFinished(async () => {
    await kopeck.stop()
    await service.close()
    await database.close()
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  return { telegram, prisma, pool, accountId, service, calendar, ask, check }

  async function ask(userId: number, text: string, answer: RegExp): Promise<string> {
    const id = telegram.say(userId, text)
    const found = () =>
      telegram
        .answers(userId, id)
        .map((message) => message.rich?.markdown ?? message.text ?? '')
        .find((text) => answer.test(text))
    await expect.poll(found, DONE).toBeDefined()
    return found() ?? ''
  }

  async function check() {
    await prisma.$executeRaw`UPDATE bot.charge SET created_at = created_at - interval '1 hour'`
    return balance.check()
  }
}

// Promise: Somebody else spends from the bot's account, money comes onto it, a learnt price is wrong, an order is written off
test('the check explains every micro-rouble that the account of bot and service moved by', async () => {
  const { telegram, prisma, pool, accountId, service, calendar, ask, check } = await openHouse()
  await ask(ADMIN, '/balance', /Difference: ₽0\.000000/)

  await ask(USER, 'What is a kopeck?', /demo/i)
  telegram.say(USER, '/image a paper boat')
  await expect.poll(() => prisma.order.count({ where: { state: 'delivered' } }), DONE).toBe(1)
  await expect.poll(() => prisma.turn.count({ where: { endedAt: null } }), DONE).toBe(0)
  const exact = await ask(ADMIN, '/balance', /Difference:/)

  expect(exact).toContain('Difference: ₽0.000000.')
  expect(await check()).toMatchObject({ differenceMicroRub: 0n, causes: EXACT, mayEvenOut: false })
  expect(await prisma.charge.count()).toBe(2)

  const order = await prisma.order.findFirstOrThrow()
  await takeBackOrderCharge(prisma, order.id, 'write_off', calendar)
  expect((await check())?.causes).toEqual({ ...EXACT, written_off: 5_000_000n })

  // As of a label whose price was learnt at 5 roubles, and is 3.
  const { taskId } = await service.createTask({ kind: 'sound', request: { prompt: 'rain' } })
  expect(taskId).toBeGreaterThan(0)
  const { id: orderId } = await prisma.order.create({
    data: {
      userId: BigInt(USER),
      chatId: USER,
      kind: 'sound',
      originKey: 'learnt',
      params: {},
      label: 'soundgen',
      replyToMessageId: 1,
      state: 'delivered',
      endedAt: new Date(),
      dueAt: null,
    },
  })
  const learnt = { orderId, amountMicroRub: 5_000_000n, estimated: true }
  await recordOrderCharge(prisma, learnt, calendar)
  const estimated = { ...EXACT, written_off: 5_000_000n, estimates: -2_000_000n }
  expect((await check())?.causes).toEqual(estimated)

  await service.createTask({ kind: 'sound', request: { prompt: 'wind' } })
  expect((await check())?.causes).toEqual({ ...estimated, not_ours: 3_000_000n })

  await adjustBalance(pool, { accountId, amountMicroRub: 100_000_000n })
  expect(await check()).toMatchObject({
    differenceMicroRub: 5_000_000n - 2_000_000n + 3_000_000n - 100_000_000n,
    causes: { ...estimated, not_ours: 3_000_000n, credited: -100_000_000n },
  })
  expect(await ask(ADMIN, '/balance', /Difference:/)).toMatch(
    /₽5\.000000 — written off.+\n-₽2\.000000 — charged by estimate\n-₽100\.000000 — paid into the account\n₽3\.000000 — not spent by this bot/,
  )
}, 120_000)
