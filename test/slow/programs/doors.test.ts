import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const [OPERATOR, STRANGER] = [501, 502]

test('with a real token the bot is closed until its operator sends the code that the start printed', async () => {
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const { ALLOWED_USER_IDS: _, ...env } = telegram.env
  const kopeck = await startKopeck({ ...env, DATABASE_URL: await createTestDatabase() })
  onTestFinished(async () => void (await kopeck.stop()))
  const answerTo = (userId: number, text: string) => {
    const sentId = telegram.say(userId, text)
    return telegram.playground.waitFor(() => telegram.answers(userId, sentId)[0]?.text)
  }

  const printed = () => kopeck.lines.filter((line) => !line.startsWith('{')).join('\n')
  const logged = () => kopeck.lines.filter((line) => line.startsWith('{')).join('\n')
  // It comes by another way than the line that says that the process is ready.
  await expect.poll(printed).toMatch(/\/start \S+/)
  expect(printed()).toContain('Admins alone may talk to the bot')
  const [, code = ''] = /\/start (\S+)/.exec(printed()) ?? []

  const turnedAway = await answerTo(STRANGER, 'Hello')
  expect(await answerTo(STRANGER, '/start 0000-0000-0000')).toBe(turnedAway)
  expect(await answerTo(OPERATOR, `/start ${code}`)).toContain('You’re an admin of this bot now')
  expect(await answerTo(STRANGER, `/start ${code}`)).not.toContain('admin of this bot now')
  expect(await answerTo(OPERATOR, '/stop')).toContain('Nothing is being written')

  await expect.poll(logged).toContain('"openTo":"admins"')
  expect(logged()).not.toContain(code)
})
