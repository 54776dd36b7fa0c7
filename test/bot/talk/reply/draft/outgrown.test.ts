import { expect, test } from 'vitest'
import { ANNA, createDraftSetup } from './draft-setup.ts'

const STOP = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop:1' }]] }
const FULL = 'Some words that are said. '.repeat(300)
const MORE = `\n\n${'Some more of them.\n\n'.repeat(40)}`

// Promise: A growing answer outgrows its message
test('an edit whose text outgrows its message while it waits costs two calls, and moves Stop', async () => {
  const setup = await createDraftSetup()
  const { playground } = setup
  const writes = () => playground.calls.filter(({ method }) => /^(send|edit)/.test(method))
  const draft = setup.begin({ keyboard: STOP })
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

test('a reply that is written into messages of an earlier run leaves nothing in those that it does not need', async () => {
  const setup = await createDraftSetup()
  await setup.finish(setup.begin(), FULL.repeat(3))
  const messageIds = setup.records.at(-1)?.messageIds ?? []
  const draft = setup.begin({ messageIds })

  draft.grow('Short')
  await setup.moveUntil(() => setup.textsIn()[0] === 'Short')
  await setup.finish(draft, 'Short.')

  expect(messageIds.length).toBeGreaterThan(2)
  expect(setup.textsIn()).toEqual(['Short.', ...messageIds.slice(1).map(() => '…')])
})
