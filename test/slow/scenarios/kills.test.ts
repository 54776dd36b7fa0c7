import { expect, test } from 'vitest'
import { ANNA, ANSWER_MICRO_RUB, begin, openScenario, SCENARIO_MS } from './scenario.ts'

const CUT_SHORT = /^\(I was restarted.*You pay for what you see/s

test('kill -9 before an answer: after the restart its question is answered once', {
  timeout: SCENARIO_MS,
}, async () => {
  const { bot, model, say, see, shown, spent, end } = await openScenario()
  say(ANNA, 'Hello?')
  await model.next()

  await bot.process.kill()
  await bot.restart()
  const again = await model.next()
  again.answer('Hello!')
  await see(ANNA, 'Hello!')
  await end()

  expect(shown(ANNA)).toEqual(['Hello!'])
  expect(model.completions).toHaveLength(2)
  expect(await spent(ANNA)).toBe(ANSWER_MICRO_RUB)
})

test('kill -9 in an answer: what was read stays, a reply explains it and offers another attempt, and the part is charged once', {
  timeout: SCENARIO_MS,
}, async () => {
  const scenario = await openScenario()
  const { bot, model, say, see, press, shown, spent, end } = scenario
  say(ANNA, 'Hello?')
  await begin(scenario, { completion: await model.next(), userId: ANNA })

  await bot.process.kill()
  await bot.restart()
  await see(ANNA, CUT_SHORT)
  expect(shown(ANNA)).toEqual(['Half an answer', expect.stringMatching(CUT_SHORT)])
  expect(model.completions).toHaveLength(1)
  const ofPart = await spent(ANNA)
  await press(ANNA, 'Retry')
  const again = await model.next()
  again.answer('Hello!')
  await see(ANNA, 'Hello!')
  await end()

  expect(again.prompt).toBe('Hello?')
  expect(ofPart).toBeGreaterThan(0n)
  expect(ofPart).toBeLessThan(ANSWER_MICRO_RUB)
  expect(await spent(ANNA)).toBe(ofPart + ANSWER_MICRO_RUB)
})

test('kill -9 after an answer was charged and before it was shown whole: it is shown whole, and charged no second time', {
  timeout: SCENARIO_MS,
}, async () => {
  const scenario = await openScenario()
  const { bot, playground, model, say, see, shown, spent, end } = scenario
  say(ANNA, 'Hello?')
  const completion = await model.next()
  await begin(scenario, { completion, userId: ANNA })
  const held = playground.fault({ kind: 'hold', method: 'editMessageText' })
  completion.answer(' that is whole.')
  await playground.waitFor(() => held.hits > 0)
  await expect.poll(() => spent(ANNA)).toBe(ANSWER_MICRO_RUB)

  await bot.process.kill()
  await bot.restart()
  await see(ANNA, 'Half an answer that is whole.')
  await end()

  expect(shown(ANNA)).toEqual(['Half an answer that is whole.'])
  expect(model.completions).toHaveLength(1)
  expect(await spent(ANNA)).toBe(ANSWER_MICRO_RUB)
})

test.each(['has stopped it', 'has not read the press'])(
  'Stop in an answer whose process dies when it %s: the text stays, there is no second answer, and the part is charged once',
  { timeout: SCENARIO_MS },
  async (when) => {
    const scenario = await openScenario()
    const { bot, model, say, see, press, shown, spent, end } = scenario
    say(ANNA, 'Hello?')
    await begin(scenario, { completion: await model.next(), userId: ANNA })

    if (when === 'has not read the press') bot.process.freeze()
    await press(ANNA, 'Stop')
    if (when === 'has stopped it') await see(ANNA, /\(Stopped\.\)$/)
    await bot.process.kill()
    await bot.restart()
    await see(ANNA, /You pay for what you see/)
    await end()

    expect(shown(ANNA)[0]).toMatch(/^Half an answer/)
    expect(shown(ANNA).filter((text) => text.includes('Half an answer'))).toHaveLength(1)
    expect(model.completions).toHaveLength(1)
    expect(await spent(ANNA)).toBeGreaterThan(0n)
    expect(await spent(ANNA)).toBeLessThan(ANSWER_MICRO_RUB)
  },
)
