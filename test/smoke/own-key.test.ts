import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { OPENAI, startUpstream } from '../service/config/openai/upstreams.ts'
import { startKopeck } from '../support/kopeck.ts'
import { openTelegram } from '../support/telegram-user.ts'

const USER = 1

test('a key and a token make a bot that answers and charges the price of the model', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-key-'))
  const DATABASE_URL = await createTestDatabase()
  const database = openTestDatabase({ url: DATABASE_URL })
  const telegram = await openTelegram()
  onTestFinished(async () => {
    await telegram.close()
    await database.close()
    await rm(dataDir, { recursive: true })
  })
  await using upstream = await startUpstream(OPENAI)
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL,
    DATA_DIR: dataDir,
    OPENAI_API_KEY: OPENAI.key ?? '',
    OPENAI_BASE_URL: upstream.origin,
    OPENAI_PRICES: 'gpt-5-mini=0.25/2',
    USD_RUB: '100',
  })
  onTestFinished(kopeck.kill)

  const asked = telegram.say(USER, 'What is a penny and three more?')

  await expect
    .poll(() => telegram.answers(USER, asked).map(({ text }) => text))
    .toContainEqual(expect.stringContaining('4 kopecks, that is.'))
  // The upstream reports 1,000 tokens of input and 500 of output.
  await expect
    .poll(() => database.prisma.charge.findMany({ select: { amountMicroRub: true } }))
    .toEqual([{ amountMicroRub: 125_000n }])
  expect(kopeck.lines.join('\n')).not.toContain(OPENAI.key)
})
