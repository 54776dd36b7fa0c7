import { formatMoney } from '../spend/format.ts'
import type { Texts } from '../texts.ts'
import type { Turn } from './turns.ts'

/** What of a turn decides what its reply says in the end. */
export type EndedTurn = Pick<Turn, 'state' | 'errorCode' | 'answer' | 'shownText' | 'charge'>

/** Noted on a finished turn whose answer reached the limit of its length. */
export const LENGTH_CODE = 'length'
/** Noted on a stopped turn whose request was never made: it costs nothing. */
export const NOT_ASKED_CODE = 'not_asked'
/** Noted on a failed turn for a reason that lies in the bot itself. */
export const INTERNAL_CODE = 'internal'

const ERRORS: Readonly<Record<string, string>> = {
  insufficient_balance: 'reply-insufficient-balance',
  unauthorized: 'reply-unauthorized',
  invalid_request: 'reply-invalid-request',
  rate_limited: 'reply-rate-limited',
  provider_rejected: 'reply-provider-rejected',
  service_unavailable: 'reply-service-unavailable',
  stream_broken: 'reply-stream-broken',
  outcome_unknown: 'reply-outcome-unknown',
  unexpected_answer: 'reply-unexpected-answer',
}

/**
 * What the chat shows of a turn that has ended: the text that came, and what there is to say about
 * it. The text stands first and unchanged, so that a draft of it only grows.
 */
export function toFinalText(
  turn: EndedTurn,
  { texts, languageCode }: { texts: Texts; languageCode: string | undefined },
): string {
  const text = turn.answer ?? turn.shownText
  const note = noteFor(turn, text.trim() === '')
  if (note === undefined) return text
  const line = texts.t(languageCode, note)
  const charge = turn.state === 'failed' || turn.state === 'interrupted' ? [chargeLine()] : []
  return [...(text.trim() === '' ? [] : [text]), [line, ...charge].join(' ')].join('\n\n')

  function chargeLine(): string {
    if (turn.charge === undefined) return texts.t(languageCode, 'reply-charged-nothing')
    const amount = formatMoney(turn.charge.amountMicroRub, languageCode)
    const key = turn.charge.estimated ? 'reply-charged-estimate' : 'reply-charged'
    return texts.t(languageCode, key, { amount })
  }
}

function noteFor({ state, errorCode }: EndedTurn, isBlank: boolean): string | undefined {
  switch (state) {
    case 'streaming':
      return undefined
    case 'finished':
      if (isBlank) return 'reply-empty'
      return errorCode === LENGTH_CODE ? 'reply-cut' : undefined
    case 'stopped':
      return errorCode === NOT_ASKED_CODE ? 'reply-stopped-in-line' : 'reply-stopped'
    case 'interrupted':
      return 'reply-interrupted'
    case 'failed':
      return ERRORS[errorCode ?? ''] ?? 'reply-failed'
  }
}
