import { pino } from 'pino'
import { expect, test } from 'vitest'
import { TelegramError } from '../../../src/bot/telegram/errors.ts'
import { createFormatting, createRichSupport } from '../../../src/bot/telegram/formatting.ts'
import type { AnswerFormat } from '../../../src/platform/database/generated/enums.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const REFUSAL = { code: 'formatting_refused', chatId: 1, reason: 'RICH_MESSAGE_X' } as const
const REFUSED = new TelegramError(REFUSAL)
const UNSUPPORTED = new TelegramError({ ...REFUSAL, isUnsupported: true })

function setUp() {
  const clock = createManualClock()
  const richSupport = createRichSupport(clock)
  const log = pino({ level: 'silent' })
  return {
    clock,
    begin: (wanted: AnswerFormat = 'rich') => createFormatting({ richSupport, log }, wanted),
  }
}

test('a refused whole text loses its formatting step by step, a growing one at the third refusal', () => {
  const { begin } = setUp()
  const whole = begin()
  whole.refused(REFUSED, { isInterim: false })
  expect(whole.current()).toBe('entities')
  whole.refused(REFUSED, { isInterim: false })
  expect(whole.current()).toBe('none')
  expect(() => whole.refused(REFUSED, { isInterim: false })).toThrow(REFUSED)

  const growing = begin()
  for (const formatting of ['rich', 'rich', 'entities']) {
    growing.refused(REFUSED, { isInterim: true })
    expect(growing.current()).toBe(formatting)
  }
})

test('a server without rich messages is remembered for an hour, for every reply', () => {
  const { begin, clock } = setUp()
  const first = begin()
  first.refused(UNSUPPORTED, { isInterim: true })

  expect(first.current()).toBe('entities')
  expect(begin().current()).toBe('entities')
  clock.advance(3_600_000)
  expect(begin().current()).toBe('rich')
})
