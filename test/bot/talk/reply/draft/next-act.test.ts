import { expect, test } from 'vitest'
import {
  type DraftGoal,
  type DraftMessage,
  type DraftPart,
  nextAct,
  partsToShow,
} from '../../../../../src/bot/talk/reply/draft/next-act.ts'

const GROWING: DraftGoal = {
  reply: { text: '' },
  keyboard: undefined,
  isWhole: false,
  announcement: '',
}
const WHOLE: DraftGoal = { ...GROWING, isWhole: true }
const ONE = part('one')
const TWO = part('two')
const SHOWN: DraftMessage = { id: 1, body: ONE.body, keyboard: undefined, unknownSends: 0 }
const MAYBE_SENT: DraftMessage = { unknownSends: 1 }

test.each<{
  name: string
  act: object
  parts: DraftPart[]
  messages: DraftMessage[]
  goal?: DraftGoal
}>([
  { name: 'sends the first part', parts: [ONE], messages: [], act: { type: 'send', index: 0 } },
  {
    name: 'grows the last message',
    parts: [TWO],
    messages: [SHOWN],
    act: { type: 'grow', index: 0 },
  },
  {
    name: 'completes a message that is not the last',
    parts: [TWO, ONE],
    messages: [SHOWN],
    act: { type: 'complete', index: 0 },
  },
  {
    name: 'completes the last one once the text is whole',
    parts: [TWO],
    messages: [SHOWN],
    goal: WHOLE,
    act: { type: 'complete', index: 0 },
  },
  {
    name: 'waits where all is shown that there is',
    parts: [ONE],
    messages: [SHOWN],
    act: { type: 'wait' },
  },
  {
    name: 'waits for more than what was dropped',
    parts: [TWO],
    messages: [{ ...SHOWN, skipped: TWO.body }],
    act: { type: 'wait' },
  },
  {
    name: 'sends once more what may stand there, while it grows',
    parts: [ONE],
    messages: [MAYBE_SENT],
    act: { type: 'send', index: 0 },
  },
  {
    name: 'does not send it a third time while it grows',
    parts: [ONE],
    messages: [{ unknownSends: 2 }],
    act: { type: 'wait' },
  },
  {
    name: 'sends it again once the text is whole',
    parts: [ONE],
    messages: [{ unknownSends: 2 }],
    goal: WHOLE,
    act: { type: 'send', index: 0 },
  },
  {
    name: 'ends when all of it is shown',
    parts: [ONE],
    messages: [SHOWN],
    goal: WHOLE,
    act: { type: 'end' },
  },
])('nextAct() $name', ({ parts, messages, goal = GROWING, act }) => {
  expect(nextAct(parts, { goal, messages })).toEqual(act)
})

test('partsToShow() begins with the announcement, and with the reply as soon as there is any', () => {
  const state = { goal: { ...GROWING, announcement: 'wait' }, messages: [] }

  expect(partsToShow([], state)).toMatchObject([{ body: { text: 'wait' }, isAnnouncement: true }])
  expect(partsToShow([ONE], state)).toEqual([ONE])
})

test('partsToShow() has no message after one that may be missing', () => {
  const state = { goal: GROWING, messages: [MAYBE_SENT] }

  expect(partsToShow([ONE, TWO, ONE], state)).toEqual([ONE])
})

function part(text: string): DraftPart {
  return { end: text.length, body: { text } }
}
