import { expect, test } from 'vitest'
import type { UserMessage } from '../../../src/playground/control/people.ts'
import { ANNA, ANSWER_MICRO_RUB, openScenario, SCENARIO_MS, type Scenario } from './scenario.ts'

test.each(['SIGTERM', 'kill -9'])(
  'an album of which one part came before a restart (%s) is one question with all parts',
  { timeout: SCENARIO_MS },
  async (how) => {
    const scenario = await openScenario()
    const { bot, playground, model, see, shown, spent, end } = scenario
    const add = (fileName: string, text: string, caption?: string): UserMessage => ({
      userId: ANNA,
      mediaGroupId: '1',
      document: { fileName, bytes: Buffer.from(text) },
      ...(caption !== undefined && { caption }),
    })
    await sendAndConfirm(scenario, add('a.txt', 'first part', 'Compare'))

    const ended = how === 'SIGTERM' ? bot.process.stop() : bot.process.kill()
    playground.userSends(add('b.txt', 'second part'))
    await ended
    playground.userSends(add('c.txt', 'third part'))
    // As far as Telegram is away.
    playground.fault({ method: 'getUpdates', kind: 'slow', delayMs: 200 })
    await bot.restart()
    const album = await model.next()
    album.answer('All of it.')
    await see(ANNA, 'All of it.')
    await end()

    expect(album.prompt).toMatch(/^Compare\n.*first part.*second part.*third part/s)
    expect(shown(ANNA)).toEqual(['All of it.'])
    expect(model.completions).toHaveLength(1)
    expect(await spent(ANNA)).toBe(ANSWER_MICRO_RUB)
  },
)

test('a comment and the forward that reaches the bot after it are one question', {
  timeout: SCENARIO_MS,
}, async () => {
  const scenario = await openScenario()
  const { playground, model, see, shown, spent, end } = scenario

  await sendAndConfirm(scenario, { userId: ANNA, text: 'Is this true?' })
  const text = 'The moon is made of cheese'
  playground.userSends({ userId: ANNA, text, forwardFrom: 'Someone' })
  const both = await model.next()
  both.answer('No.')
  await see(ANNA, 'No.')
  await end()

  expect(both.prompt).toMatch(/^Is this true\?\n.*The moon is made of cheese/s)
  expect(shown(ANNA)).toEqual(['No.'])
  expect(model.completions).toHaveLength(1)
  expect(await spent(ANNA)).toBe(ANSWER_MICRO_RUB)
})

/** Sends a message, and waits until the bot has confirmed it to Telegram: then it is stored. */
async function sendAndConfirm({ playground }: Scenario, message: UserMessage): Promise<void> {
  const offset = () => {
    const poll = playground.calls.findLast(({ method }) => method === 'getUpdates')
    return Number(poll?.params.offset ?? 0)
  }
  const before = offset()
  playground.userSends(message)
  await playground.waitFor(() => offset() > before)
}
