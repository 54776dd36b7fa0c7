import { expect, test } from 'vitest'
import { createManualClock } from '../../../../platform/time/manual-clock.ts'
import { ANNA, type BotSetup } from '../../../bot-setup.ts'
import { ended, turns } from '../../turns/ended.ts'
import { toAnswer, toPlain } from '../faults-setup.ts'
import { createDraftSetup } from './draft-setup.ts'

function lints({ playground }: BotSetup): string[] {
  return playground.lints.map(({ rule }) => rule)
}

test('a reply grows in a draft and becomes one message', async () => {
  const { setup } = await createDraftSetup()
  const { playground } = setup
  playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('One **two')
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text === 'One two')
  completion.delta(' three**')
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text === 'One two three')
  expect(setup.textsIn(ANNA)).toEqual([])
  completion.answer(' four.')
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['One two three four.'])
  expect(playground.visibleDraft(ANNA)).toBeUndefined()
  expect(playground.pendingDrafts()).toEqual([])
  expect(lints(setup)).toEqual([])
})

test('the button below a draft stops the reply, which stays as a message', async () => {
  const { setup } = await createDraftSetup()
  const { playground } = setup
  playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Once upon')
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text === 'Once upon')

  playground.pressStop(ANNA)
  await playground.waitFor(() => setup.textsIn(ANNA).length === 1)
  completion.finish()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual([
    'Once upon\n\n(Stopped. The whole answer is charged: ₽0.50.)',
  ])
  expect(playground.pendingDrafts()).toEqual([])
  expect(lints(setup)).toEqual([])
})

test('the button below the draft of a later part stops the reply, whose messages stay', async () => {
  const { setup } = await createDraftSetup()
  const { playground } = setup
  const sentences = toAnswer(60)
  playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta(sentences.join(''))
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text.includes('n0059'))
  expect(setup.textsIn(ANNA)).toHaveLength(1)

  playground.pressStop(ANNA)
  await playground.waitFor(() => setup.textsIn(ANNA).length === 2)
  completion.finish()
  await ended(setup)

  expect(toPlain(setup.textsIn(ANNA).join(''))).toBe(
    toPlain(`${sentences.join('')}(Stopped. The whole answer is charged: ₽0.50.)`),
  )
  expect(playground.pendingDrafts()).toEqual([])
  expect(await turns(setup)).toMatchObject([{ state: 'stopped', charge: [{ estimated: false }] }])
})

test.each(['on', 'off'] as const)(
  'a reply that grows is not changed by /drafts %s, the next one is',
  async (choice) => {
    const { setup } = await createDraftSetup({ usesDrafts: choice === 'off' })
    const { playground } = setup
    const isInDraft = () => playground.visibleDraft(ANNA) !== undefined
    playground.userSends({ userId: ANNA, text: 'one' })
    const one = await setup.service.next()
    one.delta('One')
    await playground.waitFor(() =>
      choice === 'off' ? isInDraft() : setup.textsIn(ANNA).length === 1,
    )

    playground.userSends({ userId: ANNA, text: `/drafts ${choice}` })
    playground.userSends({ userId: ANNA, text: 'two' })
    const textsBeforeEnd = choice === 'off' ? 1 : 2
    await playground.waitFor(() => setup.textsIn(ANNA).length === textsBeforeEnd)
    one.answer(' and the rest.')
    const two = await setup.service.next()
    two.delta('Two')
    await playground.waitFor(() =>
      choice === 'on' ? isInDraft() : setup.textsIn(ANNA).length === 3,
    )
    two.finish()
    await ended(setup, 2)

    const toCommand = expect.stringMatching(/^Answers now grow/)
    // The command is answered at once: above what becomes a message only when it is whole.
    const first =
      choice === 'off' ? [toCommand, 'One and the rest.'] : ['One and the rest.', toCommand]
    expect(setup.textsIn(ANNA)).toEqual([...first, 'Two'])
    expect(new Set(playground.draftFrames.map(({ draftId }) => draftId)).size).toBe(1)
    expect(playground.pendingDrafts()).toEqual([])
  },
)

test('the draft of a reply that cannot be ended is not kept in view', async () => {
  const clock = createManualClock()
  const { setup } = await createDraftSetup({ clock })
  const { playground } = setup
  playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('One two three four five')
  await playground.waitFor(() => playground.visibleDraft(ANNA) !== undefined)
  await setup.database.pool.query('DELETE FROM bot.turn')
  completion.finish()
  await playground.waitFor(() => setup.textsIn(ANNA).length === 1)
  const frames = playground.draftFrames.length

  await clock.run(60_000)
  playground.userSends({ userId: ANNA, text: '/help' })
  await playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  expect(playground.draftFrames).toHaveLength(frames)
})
