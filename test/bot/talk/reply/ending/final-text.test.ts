import { expect, test } from 'vitest'
import { createTexts, LANGUAGES } from '../../../../../src/bot/locales/texts.ts'
import { createLimitTexts } from '../../../../../src/bot/spend/limits/limit-texts.ts'
import { type EndedTurn, toFinalText } from '../../../../../src/bot/talk/reply/ending/final-text.ts'

const texts = createTexts()
const limitTexts = createLimitTexts({ texts, timeZone: 'UTC' })
const ended: EndedTurn = {
  kind: 'answer',
  model: 'alpha',
  state: 'finished',
  heldReason: null,
  unseen: null,
  errorCode: null,
  limitReached: null,
  shownText: '',
  contextPercent: null,
  nextCostMicroRub: null,
  sentAt: null,
  createdAt: new Date(0),
}

test('a finished answer is its text alone', () => {
  expect(finalText({ ...ended, answer: 'All of it.' })).toBe('All of it.')
})

test('a user reads below a broken answer what they pay for what they see', () => {
  const failed: EndedTurn = { ...ended, state: 'failed', errorCode: 'stream_broken' }
  const amountMicroRub = 1_230_000n

  expect(finalText(failed)).toMatch(/Nothing was charged\.$/)
  const shown = { estimated: true, writtenOffMicroRub: 1n }
  expect(finalText({ ...failed, charge: { ...shown, amountMicroRub } })).toMatch(
    /You pay for what you see: ≈\u00a0₽1\.23\.$/,
  )
  expect(finalText({ ...failed, charge: { ...shown, amountMicroRub: 0n } })).toMatch(
    /Nothing was charged\.$/,
  )
})

test.each([
  ['is not known yet', undefined, '(Stopped.)'],
  ['is nothing', { amountMicroRub: 0n, estimated: false, writtenOffMicroRub: 0n }, '(Stopped.)'],
  [
    'is that of the whole answer',
    { amountMicroRub: 730_000n, estimated: false, writtenOffMicroRub: 0n },
    '(Stopped. The whole answer is charged: ₽0.73.)',
  ],
  [
    'is not known any more',
    { amountMicroRub: 30_000n, estimated: true, writtenOffMicroRub: 2_970_000n },
    '(Stopped. You pay for what you see: ≈\u00a0₽0.03.)',
  ],
] as const)('a stopped answer whose cost %s', (_what, charge, words) => {
  expect(finalText({ ...ended, state: 'stopped', ...(charge && { charge }) })).toBe(words)
})

test('a text that came stands first and unchanged, so that a draft of it only grows', () => {
  for (const state of ['stopped', 'failed', 'interrupted'] as const) {
    expect(finalText({ ...ended, state, shownText: 'Half' }).startsWith('Half\n\n')).toBe(true)
  }
})

test('every failure has its own words in every language', () => {
  const codes = [
    'insufficient_balance',
    'unauthorized',
    'invalid_request',
    'rate_limited',
    'provider_rejected',
    'service_unavailable',
    'stream_broken',
    'outcome_unknown',
    'unexpected_answer',
    'internal',
  ]
  for (const languageCode of LANGUAGES) {
    const shown = codes.map((errorCode) =>
      toFinalText(
        { ...ended, state: 'failed', errorCode },
        { texts, limitTexts, languageCode },
      ).notes?.join(),
    )

    expect(new Set(shown).size).toBe(codes.length)
  }
})

test('the line of a message that may stand there twice has room in front of it', () => {
  for (const languageCode of LANGUAGES) {
    expect(texts.t(languageCode, 'reply-maybe-double').length).toBeLessThanOrEqual(90)
  }
})

function finalText(turn: EndedTurn): string {
  const { text, notes = [] } = toFinalText(turn, { texts, limitTexts, languageCode: 'en' })
  return [text, ...notes].filter((part) => part !== '').join('\n\n')
}
