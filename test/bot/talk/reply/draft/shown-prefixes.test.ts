import { expect, test } from 'vitest'
import { makeAnswer } from '../../../rich-text/answers.ts'
import { isWithin, lettersOf } from '../../../rich-text/server-rules.ts'
import { SPEC_EXAMPLES } from '../../../rich-text/spec-examples.ts'
import { openChats } from './shown-chats.ts'

/** Characters from one beginning to the next; `PREFIX_STEP=1` shows every single one. */
const ANSWER_STEP = Number(process.env.PREFIX_STEP ?? 397)
const EXAMPLE_STEP = Number(process.env.PREFIX_STEP ?? 41)

const ANSWERS = Array.from({ length: 50 }, (_, index) =>
  makeAnswer(index + 1, 1000 + Math.round((index / 49) ** 12 * 19_000)),
)

test('the beginnings of 50 answers are shown without a refusal, and nothing is lost', async ({
  annotate,
}) => {
  const setup = await openChats({ step: ANSWER_STEP, format: 'rich' })

  const shown = await setup.showAll(ANSWERS)

  await annotate(setup.countCalls())
  expect(setup.refused).toEqual([])
  for (const [index, { grown, whole }] of shown.entries()) {
    // What a user has read stays, and more follows it.
    for (const text of grown) expect(whole.startsWith(text), `answer ${index + 1}`).toBe(true)
    expect(isWithin(lettersOf(ANSWERS[index] ?? ''), whole), `answer ${index + 1}`).toBe(true)
  }
}, 3_600_000)

test('the beginnings of the examples of the specifications are shown without a refusal, and nothing is lost', async ({
  annotate,
}) => {
  const setup = await openChats({ step: EXAMPLE_STEP, format: 'rich' })

  const shown = await setup.showAll(SPEC_EXAMPLES)

  await annotate(setup.countCalls())
  expect(setup.refused).toEqual([])
  for (const [index, { whole }] of shown.entries()) {
    const example = SPEC_EXAMPLES[index] ?? ''
    expect(isWithin(lettersOf(example), whole), example).toBe(true)
  }
}, 3_600_000)
