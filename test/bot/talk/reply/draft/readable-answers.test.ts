import { expect, test } from 'vitest'
import { CORPUS } from '../../../rich-text/corpus.ts'
import { isWithin } from '../../../rich-text/server-rules.ts'
import { createDraftSetup } from './draft-setup.ts'
import { openChats } from './shown-chats.ts'

/** Characters from one beginning to the next: what an answer grows by from one edit to the next. */
const STEP = 61
const TEXTS = CORPUS.map(({ text }) => text)
const isShort = (text: string) => text.length < 3000

test('an answer takes as many calls as one that is always rich, in one message from its first word to its last', async ({
  annotate,
}) => {
  const [rich, auto] = [
    await openChats({ step: STEP, format: 'rich' }),
    await openChats({ step: STEP, format: 'auto' }),
  ]

  const before = await rich.showAll(TEXTS)
  const now = await auto.showAll(TEXTS)

  await annotate(`always rich: ${rich.countCalls()}; by content: ${auto.countCalls()}`)
  expect([rich.refused, auto.refused]).toEqual([[], []])
  for (const [index, { text, needs }] of CORPUS.entries()) {
    const messages = auto.playground.transcript(index + 1)
    expect(messages.some((message) => message.rich !== undefined)).toBe(needs.length > 0)
    if (!isShort(text)) continue
    expect(messages, `answer ${index}`).toHaveLength(1)
    // Text that a rich message shows in another form may stay the same for a step.
    expect(now[index]?.calls, `answer ${index}`).toBeLessThanOrEqual(
      (before[index]?.calls ?? 0) + 1,
    )
  }
  const callsOf = (all: typeof now) => {
    const short = all.filter((_, index) => isShort(TEXTS[index] ?? ''))
    return short.reduce((sum, { calls }) => sum + calls, 0)
  }
  expect(callsOf(now)).toBeLessThanOrEqual(callsOf(before))
})

// Promise: An app shows nothing of rich messages
test('whoever sees no rich messages reads every answer as plain text', async ({ annotate }) => {
  const setup = await openChats({ step: STEP, format: 'entities' })

  await setup.showAll(TEXTS)

  await annotate(`plain: ${setup.countCalls()}`)
  expect(setup.refused).toEqual([])
  for (const [index, text] of TEXTS.entries()) {
    // All that such an app shows.
    const seen = setup.playground
      .transcript(index + 1)
      .map((message) => (message.rich === undefined ? message.text : ''))
      .join('\n')
    const words = text.replaceAll(
      /\\[a-z]+|`{3,}\w*|~{3,}\w*|\]\([^)]*\)|\[[ x]\]|<\/?\w+>|\{\w+\}/g,
      ' ',
    )
    const letters = words.replaceAll(/[^\p{L}]/gu, '')
    expect(isWithin(letters, seen.normalize('NFKC')), text).toBe(true)
  }
})

test('fifty answers in a row provoke no 429, and no edit that a careful bot would not make', async () => {
  const setup = await createDraftSetup()
  for (const text of TEXTS) {
    const draft = setup.begin({ format: 'auto' })
    for (let length = 1; length < text.length; length += 200) draft.grow(text.slice(0, length))
    await setup.finish(draft, text)
  }

  expect(setup.playground.calls.filter(({ status }) => status !== 200)).toEqual([])
  expect(setup.lints()).toEqual([])
})
