import { expect, test } from 'vitest'
import { withoutMarks } from '../../../src/bot/locales/marks.ts'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import { type Receipt, toReceiptText } from '../../../src/bot/spend/receipt.ts'

const READER = { texts: createTexts(), timeZone: 'UTC' }

/** 150 and 600 roubles a million: ₽0.006 for the new words, ₽0.054 for the history, ₽0.246 for the answer. */
const RECEIPT: Receipt = {
  userId: 1n,
  item: 'alpha-large',
  promptTokens: 400,
  historyTokens: 360,
  historyMessages: 4,
  completionTokens: 410,
  promptPriceMicroRub: 150_000_000n,
  completionPriceMicroRub: 600_000_000n,
  amountMicroRub: 306_000n,
  estimated: false,
  requestId: null,
  createdAt: new Date('2026-11-21T13:20:00Z'),
}

test('the lines of a receipt add up to what was charged, as they are shown', () => {
  const { text } = toReceiptText(RECEIPT, { ...READER, languageCode: 'en' })

  expect(withoutMarks(text).split('\n')).toEqual([
    'alpha-large, 21 Nov 2026, 13:20',
    'New words, 40 tokens: ₽0.01',
    'History, 4 messages: ₽0.05',
    'Answer, 410 tokens: ₽0.25',
    'Charged: ₽0.31',
  ])
})
