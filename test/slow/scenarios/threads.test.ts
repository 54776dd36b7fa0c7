import { expect, test } from 'vitest'
import { ANNA, ANSWER_MICRO_RUB, openScenario, SCENARIO_MS, wordsOf } from './scenario.ts'

const WAITS = /^I’ll answer this after/

test('three questions of a thread across a restart are answered once each, in their order', {
  timeout: SCENARIO_MS,
}, async () => {
  const { bot, model, say, see, shown, spent, end } = await openScenario()
  say(ANNA, 'one')
  const one = await model.next()
  one.delta('On')
  await see(ANNA, 'On')
  say(ANNA, 'two')
  await see(ANNA, WAITS)

  const stopped = bot.process.stop()
  await expect.poll(() => bot.process.lines.join()).toContain('"msg":"stopping"')
  say(ANNA, 'three')
  one.answer('e.')
  expect(await stopped).toBe(0)
  await bot.restart()
  const two = await model.next()
  two.answer('Two.')
  const three = await model.next()
  three.answer('Three.')
  await see(ANNA, 'Three.')
  await end()

  expect(shown(ANNA)).toEqual(['One.', 'Two.', 'Three.'])
  expect(model.completions.map(({ prompt }) => prompt)).toEqual(['one', 'two', 'three'])
  expect(wordsOf(three)).toEqual(['one', 'One.', 'two', 'Two.', 'three'])
  expect(await spent(ANNA)).toBe(3n * ANSWER_MICRO_RUB)
})

test('an edit of a question that waits is what is asked, once', {
  timeout: SCENARIO_MS,
}, async () => {
  const { playground, model, say, see, shown, spent, end } = await openScenario()
  say(ANNA, 'one')
  const one = await model.next()
  one.delta('On')
  await see(ANNA, 'On')
  const messageId = say(ANNA, 'two')
  await see(ANNA, WAITS)
  playground.userEdits({ userId: ANNA, messageId, text: 'due' })
  // Its answer shows that the edit before it has been taken.
  say(ANNA, '/help')
  await see(ANNA, /^Write anything/)

  one.answer('e.')
  const due = await model.next()
  due.answer('Due.')
  await see(ANNA, 'Due.')
  await end()

  expect(model.completions.map(({ prompt }) => prompt)).toEqual(['one', 'due'])
  const answers = shown(ANNA).filter((text) => !text.startsWith('Write anything'))
  expect(answers).toEqual(['One.', 'Due.'])
  expect(await spent(ANNA)).toBe(2n * ANSWER_MICRO_RUB)
})

test('an answer that /new overtakes belongs to the conversation before, and the next question starts without it', {
  timeout: SCENARIO_MS,
}, async () => {
  const { model, say, see, press, shown, spent, end } = await openScenario()
  say(ANNA, 'one')
  const one = await model.next()
  one.delta('On')
  await see(ANNA, 'On')
  say(ANNA, '/new')
  await see(ANNA, /^New conversation/)
  say(ANNA, 'two')
  one.answer('e.')
  const two = await model.next()
  two.answer('Two.')
  await see(ANNA, 'Two.')

  say(ANNA, '/chats')
  await press(ANNA, '2. one')
  await see(ANNA, /^You are back in/)
  say(ANNA, 'three')
  const three = await model.next()
  three.answer('Three.')
  await see(ANNA, 'Three.')
  await end()

  expect(model.completions.map(wordsOf)).toEqual([['one'], ['two'], ['one', 'One.', 'three']])
  const answers = shown(ANNA).filter((text) => ['One.', 'Two.', 'Three.'].includes(text))
  expect(answers).toEqual(['One.', 'Two.', 'Three.'])
  expect(await spent(ANNA)).toBe(3n * ANSWER_MICRO_RUB)
})
