import type { InlineKeyboardButton } from 'grammy/types'
import { type ReportSpan, SPANS } from '../../../spend/reports/span.ts'
import type { Command } from '../../command.ts'
import { SPAN_NAMES } from './spend-words.ts'

/** Two rows: the days, then the longer spans; the one that is shown is marked. */
export function spanButtons(
  shown: ReportSpan,
  t: Command['t'],
  dataOf: (span: ReportSpan) => string,
): InlineKeyboardButton[][] {
  const buttons = SPANS.map((span) => {
    const name = t('spend-span-button', { span: SPAN_NAMES[span] })
    return { text: span === shown ? `• ${name}` : name, callback_data: dataOf(span) }
  })
  return [buttons.slice(0, 3), buttons.slice(3)]
}
