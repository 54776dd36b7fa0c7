import type { CompletionEvent } from '../../../contract/client/completion-stream.ts'
import { hasCode, ServiceError } from '../../../contract/client/service-error.ts'
import { LeftQueueError } from '../../queue/service-queue.ts'
import { mayBeCharged } from '../../spend/charges/turn-cost.ts'
import { LimitReachedError } from '../../spend/limits/limit-refusal.ts'
import { isUnasked, type Turn, type TurnEnd, type TurnHold } from '../turns/turn.ts'
import type { AnswerEnd } from './ask-turn.ts'
import {
  PriceUnseenError,
  type RequestSize,
  StopRequestedError,
  TooLongError,
} from './turn-request.ts'

/** The step that brings a stored turn nearer to its end. */
export type NextStep = 'run' | 'cut_short' | 'charge' | 'show' | 'nothing'

/**
 * Decides from a turn alone how it goes on, whether it was begun just now or by a process that died:
 * one that showed nothing yet runs, one that was left in the middle is ended with what was shown, a
 * stopped one is charged, and one that ended is shown whole.
 */
export function nextStep(
  turn: Pick<Turn, 'state' | 'shownText' | 'stopRequestedAt' | 'errorCode' | 'charge' | 'endedAt'>,
): NextStep {
  switch (turn.state) {
    case 'waiting':
    case 'streaming':
      return turn.shownText === '' && turn.stopRequestedAt === null ? 'run' : 'cut_short'
    case 'stopped':
      if (turn.errorCode !== 'not_asked' && turn.charge === undefined) return 'charge'
      break
    case 'finished':
    case 'failed':
    case 'interrupted':
    case 'held':
    case 'declined':
  }
  return turn.endedAt === null ? 'show' : 'nothing'
}

/**
 * The end of a turn without its text, and the source of its cost: the end of a finished answer has it. `shown`: the
 * service may have charged, and nobody can know how much; its user pays for what was shown.
 */
export interface Ending extends Pick<TurnEnd, 'state' | 'errorCode' | 'limitReached'> {
  cost: 'nothing' | 'shown' | Extract<CompletionEvent, { type: 'finish' }>
}

/** The meaning of an answer's end for its turn. */
export type AnswerOutcome = TurnHold | Ending

/** The service's statuses for a request that is too long, among other reasons. */
const TOO_LONG_STATUSES: readonly (number | undefined)[] = [413, 422]

/** @param size About how long the request was, if there was one. */
export function outcomeOf(end: AnswerEnd, size?: RequestSize): AnswerOutcome {
  if (end.type === 'finish') {
    const errorCode = codeOf(end.finishReason)
    const limitReached = errorCode === 'length' ? size?.boundBy : undefined
    return { state: 'finished', cost: end, errorCode, limitReached }
  }
  const { error } = end
  if (error instanceof StopRequestedError || error instanceof LeftQueueError) return NOT_ASKED
  if (error instanceof TooLongError) {
    const { code } = error
    if (code === 'conversation_too_long') return { heldReason: code }
    return { state: 'failed', errorCode: code, cost: 'nothing' }
  }
  if (error instanceof PriceUnseenError) {
    return { heldReason: 'price', nextCostMicroRub: error.costMicroRub }
  }
  if (error instanceof LimitReachedError) {
    const { code, refusal } = error
    return { state: 'failed', errorCode: code, cost: 'nothing', limitReached: refusal }
  }
  // Estimates are not exact: the service knows better what is too long, and may have meant that.
  if (isRefusedAsIs(error) && size !== undefined && size.promptTokens > size.ownTokens) {
    return { heldReason: 'conversation_too_long' }
  }
  if (!(error instanceof ServiceError)) {
    return { state: 'failed', errorCode: 'internal', cost: 'shown' }
  }
  return {
    state: 'failed',
    errorCode: error.code,
    cost: mayBeCharged(error) ? 'shown' : 'nothing',
  }
}

/** The finish reasons that a user has to know of, in the words of all providers: services may pass them on. */
const FINISHES: readonly { code: 'length' | 'content_filter' | 'refused'; words: RegExp }[] = [
  { code: 'length', words: /^(?:length|max_?(?:output_?)?tokens|model_length)$/i },
  { code: 'refused', words: /refus/i },
  {
    code: 'content_filter',
    words: /filter|safety|recitation|prohibited|block|spii|sensitive|guardrail|moderation/i,
  },
]

function codeOf(finishReason: string): TurnEnd['errorCode'] {
  return FINISHES.find(({ words }) => words.test(finishReason))?.code
}

function isRefusedAsIs(error: unknown): boolean {
  if (hasCode(error, 'context_length_exceeded')) return true
  return hasCode(error, 'invalid_request') && TOO_LONG_STATUSES.includes(error.status)
}

/** Checks whether the request went to the service, so that its end shows how the service is. */
export function wasAsked(end: AnswerEnd): boolean {
  const outcome = outcomeOf(end)
  if ('heldReason' in outcome) return false
  return !isUnasked(outcome.errorCode)
}

/** Returns the end of a turn that was left in the middle, or that a user stopped meanwhile. */
export function endingOfCutShort({
  shownText,
  stopRequestedAt,
}: Pick<Turn, 'shownText' | 'stopRequestedAt'>): Ending {
  // Nothing of it was shown: it would run again if no user had stopped it.
  if (shownText === '') return NOT_ASKED
  return stopRequestedAt === null
    ? { state: 'interrupted', cost: 'shown' }
    : { state: 'stopped', errorCode: 'cut_short', cost: 'shown' }
}

const NOT_ASKED: Ending = { state: 'stopped', errorCode: 'not_asked', cost: 'nothing' }
