import { expect, test } from 'vitest'
import { createDraftSetup, NOTE } from './draft-setup.ts'

const LOST = { kind: 'dropAfter', method: 'sendRichMessage' } as const

// Promise: The first send of an answer has no known outcome
test('a reply whose first send has no known outcome goes on growing below a line that says so', async () => {
  const setup = await createDraftSetup()
  setup.playground.fault(LOST)
  const draft = setup.begin()
  draft.grow('One')
  await setup.moveUntil(() => setup.textsIn()[0] === 'One')

  draft.grow('One two')
  await setup.moveUntil(() => setup.textsIn().length === 2)
  const repeated = setup.textsIn()[1]
  draft.grow('One two three')
  await setup.moveUntil(() => setup.textsIn()[1]?.endsWith('three'))
  const grown = setup.textsIn()[1]
  await setup.finish(draft, 'One two three four')

  expect(repeated).toMatch(/^\(may stand above\)\n\nOne/)
  expect(grown).toBe(`${NOTE}\n\nOne two three`)
  expect(setup.textsIn()).toEqual(['One', `${NOTE}\n\nOne two three four`])
  expect(setup.lints()).toEqual([])
})

// Promise: The first send of an answer has no known outcome
test('a reply that may have been sent twice is sent again when it is whole, and not before', async () => {
  const setup = await createDraftSetup()
  const sends = () => setup.playground.calls.filter(({ method }) => method === 'sendRichMessage')
  setup.playground.fault({ ...LOST, times: 2 })
  const draft = setup.begin()
  draft.grow('One')
  await setup.moveUntil(() => setup.textsIn().length === 2)

  for (const text of ['One two', 'One two three']) {
    draft.grow(text)
    for (let second = 0; second < 30; second += 1) await setup.clock.run(1000)
  }
  const whileItGrew = sends().length
  await setup.finish(draft, 'One two three four')

  expect(whileItGrew).toBe(2)
  expect(setup.textsIn().at(-1)).toBe(`${NOTE}\n\nOne two three four`)
  expect(setup.textsIn()).toHaveLength(3)
})

test('the line stays above a message that another process goes on with', async () => {
  const setup = await createDraftSetup()
  setup.playground.fault(LOST)
  setup.begin().grow('One')
  await setup.moveUntil(() => setup.records.at(-1)?.messageIds.length === 1)
  const { messageIds = [], maybeDoubleIds = [] } = setup.records.at(-1) ?? {}

  // The first process is gone.
  const next = setup.begin({ messageIds, maybeDoubleIds })
  await setup.finish(next, 'One two')

  expect(setup.textsIn()).toEqual(['One', `${NOTE}\n\nOne two`])
})
