import { isBlank } from '../rich-text/characters.ts'
import { formatAbout, formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'
import type { ReplyText } from './draft-layout.ts'
import type { Turn, TurnErrorCode } from './turn.ts'

const HOUR_MS = 3600_000
const DAY_HOURS = 24
const DAYS_FROM_HOURS = 48

const ERRORS: Readonly<Record<string, string>> = {
  insufficient_balance: 'reply-insufficient-balance',
  unauthorized: 'reply-unauthorized',
  invalid_request: 'reply-invalid-request',
  rate_limited: 'reply-rate-limited',
  provider_rejected: 'reply-provider-rejected',
  service_unavailable: 'reply-service-unavailable',
  model_misconfigured: 'reply-model-misconfigured',
  not_this_service: 'reply-unauthorized',
  stream_broken: 'reply-stream-broken',
  outcome_unknown: 'reply-outcome-unknown',
  unexpected_answer: 'reply-unexpected-answer',
  message_too_long: 'reply-message-too-long',
  context_length_exceeded: 'reply-message-too-long',
} satisfies Partial<Record<TurnErrorCode, string>>

const FINISHES: Readonly<Record<string, { below: string; alone: string }>> = {
  length: { below: 'reply-cut', alone: 'reply-all-thinking' },
  content_filter: { below: 'reply-filtered', alone: 'reply-filtered-whole' },
  refused: { below: 'reply-refused', alone: 'reply-refused' },
} satisfies Partial<Record<TurnErrorCode, object>>

/** Writes the text of a turn that does not run, then its notes. The text comes first, so that its draft only grows. */
export function toFinalText(
  turn: Turn,
  { texts, limitTexts }: { texts: Texts; limitTexts: Pick<LimitTexts, 'refusal' | 'cut'> },
): ReplyText {
  const { languageCode, state, unseen, nextCostMicroRub } = turn
  const { amountMicroRub = 0n, estimated = false } = turn.charge ?? {}
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const amount = (estimated ? formatAbout : formatMoney)(amountMicroRub, languageCode)
  const text = turn.answer ?? turn.shownText
  const notes = [
    ...(unseen !== null && state === 'finished' ? [t('reply-unseen', { kind: unseen })] : []),
    ...endNotes(),
    ...(turn.kind === 'summary' ? [summaryNote()] : []),
    ...(nextCostMicroRub === null || turn.heldReason === 'price'
      ? []
      : [t('reply-next-cost', { amount: formatAbout(nextCostMicroRub, languageCode) })]),
  ]
  return { text: isBlank(text) && notes.length > 0 ? '' : text, notes }

  function endNotes(): string[] {
    if (state === 'held') return [question()]
    if (turn.limitReached !== null) {
      const { cut, refusal } = limitTexts
      return [(state === 'finished' ? cut : refusal)(turn.limitReached, languageCode)]
    }
    const key = noteFor(turn, isBlank(text))
    if (key === undefined) return []
    const note = t(key, { amount })
    if (state !== 'failed' && state !== 'interrupted') return [note]
    const isPaid = amountMicroRub > 0n
    return [`${note} ${t(isPaid ? 'reply-charged-shown' : 'reply-charged-nothing', { amount })}`]
  }

  function summaryNote(): string {
    if (turn.answer === undefined) return t('summary-unchanged')
    const price = amountMicroRub > 0n ? 'paid' : 'free'
    return t('summary-made', { model: turn.model, price, amount })
  }

  function question(): string {
    switch (turn.heldReason) {
      case 'conversation_too_long':
        return t('held-conversation-too-long')
      case 'edited':
        return t('held-edited')
      case 'price':
        return t('held-price', { amount: formatMoney(nextCostMicroRub ?? 0n, languageCode) })
      default:
        return t('held-late', { age: age() })
    }
  }

  function age(): string {
    const { sentAt, createdAt } = turn
    const ageMs = createdAt.getTime() - (sentAt ?? createdAt).getTime()
    const hours = Math.max(Math.round(ageMs / HOUR_MS), 1)
    if (hours < DAYS_FROM_HOURS) return t('age-hours', { count: hours })
    return t('age-days', { count: Math.round(hours / DAY_HOURS) })
  }
}

function noteFor(
  { kind, state, errorCode, charge }: Turn,
  isTextBlank: boolean,
): string | undefined {
  switch (state) {
    case 'waiting':
    case 'streaming':
    case 'held':
      return undefined
    case 'finished': {
      const note = FINISHES[errorCode ?? '']
      if (isTextBlank) return note?.alone ?? 'reply-empty'
      return kind === 'summary' && errorCode === 'length' ? 'summary-cut' : note?.below
    }
    case 'stopped':
      if (errorCode === 'not_asked') return 'reply-stopped-in-queue'
      // Its cost is known once the rest of it was read, unseen.
      if (charge === undefined || charge.amountMicroRub === 0n) return 'reply-stopped'
      return charge.writtenOffMicroRub > 0n ? 'reply-stopped-shown' : 'reply-stopped-charged'
    case 'interrupted':
      return 'reply-interrupted'
    case 'declined':
      return 'held-declined'
    case 'failed':
      if (kind === 'summary' && errorCode === 'message_too_long') return 'summary-too-long'
      return ERRORS[errorCode ?? ''] ?? 'reply-failed'
  }
}
