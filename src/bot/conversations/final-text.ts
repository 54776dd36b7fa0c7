import { isBlank } from '../rich-text/characters.ts'
import { formatAbout, formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { Texts } from '../texts/texts.ts'
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

/** Notes below incomplete answers, and notes that replace an answer without text. */
const FINISHES: Readonly<Record<string, { below: string; alone: string }>> = {
  length: { below: 'reply-cut', alone: 'reply-all-thinking' },
  content_filter: { below: 'reply-filtered', alone: 'reply-filtered-whole' },
  refused: { below: 'reply-refused', alone: 'reply-refused-whole' },
} satisfies Partial<Record<TurnErrorCode, object>>

/**
 * Writes what the chat shows of a turn that does not run any more: the text that came, and notes about it. The text
 * stands first and unchanged, so that a draft of it only grows.
 */
export function toFinalText(
  turn: Turn,
  { texts, limitTexts }: { texts: Texts; limitTexts: Pick<LimitTexts, 'refusal' | 'cut'> },
): ReplyText {
  const { languageCode } = turn
  const text = turn.answer ?? turn.shownText
  // The notes under a reply, each a paragraph of its own, in this order.
  const notes = [unseenNote(), endNote(), summaryNote(), contextNote(), nextCostNote()].filter(
    (note) => note !== undefined,
  )
  const isTextLeftOut = isBlank(text) && notes.length > 0
  return { text: isTextLeftOut ? '' : text, notes }

  function unseenNote(): string | undefined {
    const { unseen: kind, state } = turn
    if (kind === null || state !== 'finished') return undefined
    return texts.t(languageCode, 'reply-unseen', { kind })
  }

  function endNote(): string | undefined {
    if (turn.state === 'held') return question()
    if (turn.limitReached !== null) {
      const isCut = turn.state === 'finished'
      return (isCut ? limitTexts.cut : limitTexts.refusal)(turn.limitReached, languageCode)
    }
    const key = noteFor(turn, isBlank(text))
    if (key === undefined) return undefined
    const isCharged = turn.state === 'failed' || turn.state === 'interrupted'
    return [
      texts.t(languageCode, key, { amount: paid() }),
      ...(isCharged ? [chargeLine()] : []),
    ].join(' ')
  }

  function summaryNote(): string | undefined {
    if (turn.kind === 'answer') return undefined
    if (turn.answer === undefined) return texts.t(languageCode, 'summary-unchanged')
    const { model } = turn
    const price = isPaid() ? 'paid' : 'free'
    return texts.t(languageCode, 'summary-made', { model, price, amount: paid() })
  }

  function contextNote(): string | undefined {
    const { contextPercent: percent } = turn
    if (percent === null) return undefined
    return texts.t(languageCode, 'reply-context', { percent })
  }

  function nextCostNote(): string | undefined {
    if (turn.nextCostMicroRub === null || turn.heldReason === 'price') return undefined
    const amount = formatAbout(turn.nextCostMicroRub, languageCode)
    return texts.t(languageCode, 'reply-next-cost', { amount })
  }

  function question(): string {
    switch (turn.heldReason) {
      case 'conversation_too_long':
        return texts.t(languageCode, 'held-conversation-too-long')
      case 'edited':
        return texts.t(languageCode, 'held-edited')
      case 'price':
        return texts.t(languageCode, 'held-price', { amount: costText() })
      default:
        return texts.t(languageCode, 'held-late', { age: age() })
    }
  }

  function costText(): string {
    return formatMoney(turn.nextCostMicroRub ?? 0n, languageCode)
  }

  function age(): string {
    const { sentAt, createdAt } = turn
    const ageMs = createdAt.getTime() - (sentAt ?? createdAt).getTime()
    const hours = Math.max(Math.round(ageMs / HOUR_MS), 1)
    if (hours < DAYS_FROM_HOURS) return texts.t(languageCode, 'age-hours', { count: hours })
    return texts.t(languageCode, 'age-days', { count: Math.round(hours / DAY_HOURS) })
  }

  function chargeLine(): string {
    const key = isPaid() ? 'reply-charged-shown' : 'reply-charged-nothing'
    return texts.t(languageCode, key, { amount: paid() })
  }

  function isPaid(): boolean {
    return (turn.charge?.amountMicroRub ?? 0n) > 0n
  }

  function paid(): string {
    const { amountMicroRub = 0n, estimated = false } = turn.charge ?? {}
    return (estimated ? formatAbout : formatMoney)(amountMicroRub, languageCode)
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
      if (isTextBlank) return note?.alone ?? (kind === 'summary' ? 'summary-empty' : 'reply-empty')
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
