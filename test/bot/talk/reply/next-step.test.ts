import { describe, expect, test } from 'vitest'
import { endingOfCutShort, nextStep, outcomeOf } from '../../../../src/bot/talk/reply/next-step.ts'
import { StopRequestedError, TooLongError } from '../../../../src/bot/talk/reply/turn-request.ts'
import {
  InsufficientBalanceError,
  InvalidRequestError,
  StreamBrokenError,
} from '../../../../src/contract/client/errors.ts'

const BEGUN = {
  state: 'streaming',
  shownText: '',
  stopRequestedAt: null,
  errorCode: null,
  endedAt: null,
} as const
const AT = new Date(0)
const CHARGE = { amountMicroRub: 1n, estimated: true, writtenOffMicroRub: 0n }

describe('nextStep()', () => {
  test.each([
    ['runs a turn of which nothing was shown', {}, 'run'],
    ['cuts a turn short that had begun to show', { shownText: 'Half' }, 'cut_short'],
    ['cuts a turn short that a user stopped', { stopRequestedAt: AT }, 'cut_short'],
    ['charges a stopped turn', { state: 'stopped' }, 'charge'],
    ['shows a charged turn', { state: 'stopped', charge: CHARGE }, 'show'],
    ['charges no turn that was not asked', { state: 'stopped', errorCode: 'not_asked' }, 'show'],
    ['shows the question of a held turn', { state: 'held' }, 'show'],
    ['leaves a shown turn alone', { state: 'finished', endedAt: AT }, 'nothing'],
    ['charges a stopped turn that was shown', { state: 'stopped', endedAt: AT }, 'charge'],
  ] as const)('%s', (_promise, facts, step) => {
    expect(nextStep({ ...BEGUN, ...facts })).toBe(step)
  })
})

describe('outcomeOf()', () => {
  test.each([
    [
      'holds a turn whose conversation is too long',
      new TooLongError('conversation_too_long'),
      {
        heldReason: 'conversation_too_long',
      },
    ],
    [
      'fails a message that alone is too long',
      new TooLongError('message_too_long'),
      {
        state: 'failed',
        errorCode: 'message_too_long',
        cost: 'nothing',
      },
    ],
    [
      'stops a turn that was taken back before it was asked',
      new StopRequestedError(),
      {
        state: 'stopped',
        errorCode: 'not_asked',
        cost: 'nothing',
      },
    ],
    [
      'charges an estimate for a stream that broke',
      new StreamBrokenError('broken', { text: '' }),
      {
        state: 'failed',
        errorCode: 'stream_broken',
        cost: 'shown',
      },
    ],
    [
      'charges nothing for a refusal',
      new InsufficientBalanceError('refused'),
      {
        state: 'failed',
        errorCode: 'insufficient_balance',
        cost: 'nothing',
      },
    ],
    [
      'says of any other error that it is the bot’s own, and has nobody pay for it',
      new Error('oh'),
      {
        state: 'failed',
        errorCode: 'internal',
        cost: 'shown',
      },
    ],
  ] as const)('%s', (_promise, error, outcome) => {
    expect(outcomeOf({ type: 'failed', error })).toEqual(outcome)
  })
})

test.each([
  [
    'a conversation',
    { promptTokens: 20, historyMessages: 0, ownTokens: 5, answerTokens: 9 },
    { heldReason: 'conversation_too_long' },
  ],
  [
    'a lone message',
    { promptTokens: 5, historyMessages: 0, ownTokens: 5, answerTokens: 9 },
    { errorCode: 'invalid_request' },
  ],
])('outcomeOf() takes a refused request of %s for what its size says', (_name, size, outcome) => {
  const error = new InvalidRequestError('refused', { status: 422 })

  expect(outcomeOf({ type: 'failed', error }, size)).toMatchObject(outcome)
})

test('outcomeOf() takes a 400 for no word about the length', () => {
  const error = new InvalidRequestError('refused', { status: 400 })
  const size = { promptTokens: 20, historyMessages: 0, ownTokens: 5, answerTokens: 9 }

  expect(outcomeOf({ type: 'failed', error }, size)).toMatchObject({ state: 'failed' })
})

test('endingOfCutShort() charges an estimate for what was shown, and nothing for a turn not asked', () => {
  expect(endingOfCutShort({ ...BEGUN, shownText: 'Half' })).toMatchObject({
    state: 'interrupted',
    cost: 'shown',
  })
  expect(endingOfCutShort({ shownText: 'Half', stopRequestedAt: AT })).toMatchObject({
    state: 'stopped',
    cost: 'shown',
  })
  expect(endingOfCutShort({ ...BEGUN, stopRequestedAt: AT })).toMatchObject({
    state: 'stopped',
    errorCode: 'not_asked',
    cost: 'nothing',
  })
})
