import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { takeBackOrderCharge } from '../../../src/bot/spend/charges/order-charges.ts'
import { createServiceBalance } from '../../../src/bot/spend/check/service-balance.ts'
import { createServiceClient } from '../../../src/contract/client/service-client.ts'
import { adjustBalance } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { rowsOf } from '../../service/rows.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const ADMIN = 501
const USER = 502
const DONE = { timeout: 30_000 }

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

test('the check shows every micro-rouble that the account moved by and users were not charged', async () => {
  const { telegram, prisma, pool, accountId, service, calendar, ask, check } = await openHouse()
  await ask(ADMIN, '/balance', /Difference: ₽0\.000000/)

  await ask(USER, 'What is a kopeck?', /demo/i)
  telegram.say(USER, '/image a paper boat')
  await expect.poll(() => prisma.order.count({ where: { state: 'delivered' } }), DONE).toBe(1)
  await expect.poll(() => prisma.turn.count({ where: { endedAt: null } }), DONE).toBe(0)
  const exact = await ask(ADMIN, '/balance', /Difference:/)

  expect(exact).toContain('Difference: ₽0.000000.')
  expect(await check()).toMatchObject({ differenceMicroRub: 0n, mayEvenOut: false })
  expect(await prisma.charge.count()).toBe(2)

  const order = await prisma.order.findFirstOrThrow()
  await takeBackOrderCharge(prisma, order.id, 'write_off', calendar)
  expect(await check()).toMatchObject({ differenceMicroRub: 5_000_000n })

  await service.createTask({ kind: 'sound', request: { prompt: 'wind' } })
  expect(await check()).toMatchObject({ differenceMicroRub: 8_000_000n })

  await adjustBalance(pool, { accountId, amountMicroRub: 100_000_000n })
  expect(await check()).toMatchObject({ differenceMicroRub: -92_000_000n })
  await ask(ADMIN, '/balance', /Difference: -₽92\.000000/)
}, 120_000)
