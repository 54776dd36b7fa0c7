import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { OLLAMA, startUpstream } from '../../service/config/openai/upstreams.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const [USER, ADMIN] = [1, 2]
const ANSWER = '4 kopecks, that is.'
const SOON = { timeout: 20_000 }

test('an upstream that is away at the start: a user reads that the bot is not set up right, an admin why, and both go on when it is there', async () => {
  const first = await startUpstream(OLLAMA)
  await first[Symbol.asyncDispose]()
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const dataDir = await makeFolder()
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    OPENAI_BASE_URL: first.baseUrl,
    ADMIN_IDS: String(ADMIN),
  })
  onTestFinished(() => kopeck.kill())
  const textsFor = (user: number) => telegram.answers(user, 0).map(({ text = '' }) => text)
  telegram.say(ADMIN, '/stop')
  telegram.say(USER, 'What is a penny and three more?')

  await expect
    .poll(() => textsFor(USER), SOON)
    .toContain('I’m not set up right, so I can’t answer. The bot’s admins know.')
  const lines = kopeck.lines.join('\n')
  expect(lines).toContain(`OPENAI_BASE_URL: no answer from ${first.baseUrl}`)

  // An admin who had not written to the bot before could not be reached.
  process.kill(kopeck.pid, 'SIGHUP')
  await expect
    .poll(() => textsFor(ADMIN), SOON)
    .toContainEqual(expect.stringMatching(/refuses to list its models.*check OPENAI_BASE_URL/s))
  await using _upstream = await startUpstream(OLLAMA, Number(new URL(first.baseUrl).port))
  process.kill(kopeck.pid, 'SIGHUP')
  await expect.poll(() => kopeck.lines.join('\n')).toContain('service config read again')
  telegram.say(USER, 'And now?')

  await expect.poll(() => textsFor(USER), SOON).toContainEqual(expect.stringContaining(ANSWER))
  expect(await kopeck.stop()).toBe(0)
})
