import { expect, test } from 'vitest'
import { ANNA, createNativeDraftSetup } from './native-draft-setup.ts'

const STOP = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop:1' }]] }
/** A little less than a message holds. */
const FULL = 'Some words that are said. '.repeat(300)
const MORE = `\n\n${'Some more of them.\n\n'.repeat(40)}`

// Promise: A growing answer outgrows its message
test('an edit whose text outgrows its message while it waits costs two calls, and moves Stop', async () => {
  const setup = await createNativeDraftSetup()
  const { playground } = setup
  const writes = () => playground.calls.filter(({ method }) => /^(send|edit)/.test(method))
  const draft = setup.begin({ nativeDraftId: undefined, keyboard: STOP })
  draft.grow('Some words')
  await setup.moveUntil(() => setup.textsIn().length === 1)
  draft.grow(FULL)
  await setup.clock.untilAsleep()

  draft.grow(`${FULL}${MORE}`)
  await setup.moveUntil(() => setup.textsIn().length === 2)
  const outgrownAt = setup.clock.now()
  draft.grow(`${FULL}${MORE} And these.`)
  await setup.moveUntil(() => setup.textsIn()[1]?.includes('these'))

  const calls = writes().map(({ method, params }) => [method, params.reply_markup !== undefined])
  expect(calls).toEqual([
    ['sendRichMessage', true],
    ['editMessageText', false],
    ['sendRichMessage', true],
    ['editMessageText', true],
  ])
  expect(setup.clock.now() - outgrownAt).toBeLessThanOrEqual(2_000)
  expect(playground.transcript(ANNA).map(({ replyMarkup }) => replyMarkup)).toEqual([
    undefined,
    STOP,
  ])
})
