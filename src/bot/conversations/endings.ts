import { hasCode, ServiceError } from '../../contract/client/service-error.ts'
import type { App } from '../context.ts'
import { LeftQueueError } from '../queue.ts'
import { mayBeCharged, type TurnCost, type TurnCosts } from '../spend/costs.ts'
import { LimitReachedError } from '../spend/limits.ts'
import { NotAskedError, type RequestSize, type TurnRequests } from './request.ts'
import {
  type CompletionFinish,
  type Ending,
  isUnasked,
  NOT_ASKED,
  type Turn,
  type TurnEnd,
  type TurnHold,
  turnFacts,
} from './turn.ts'
import type { Turns } from './turns.ts'

export type AnswerEnd = CompletionFinish | { type: 'failed'; error: unknown }

/** The finish reasons that users must know, in the words of all providers: services may pass them on. */
const FINISHES: readonly { code: 'length' | 'content_filter' | 'refused'; words: RegExp }[] = [
  { code: 'length', words: /^(?:length|max_?(?:output_?)?tokens|model_length)$/i },
  { code: 'refused', words: /refus/i },
  {
    code: 'content_filter',
    words: /filter|safety|recitation|prohibited|block|spii|sensitive|guardrail|moderation/i,
  },
]

/** A summary has no message that its user could shorten, so its user is asked nothing. */
export const SUMMARY_TOO_LONG: Ending = {
  state: 'failed',
  errorCode: 'message_too_long',
  cost: 'nothing',
}

export function outcomeOf(end: AnswerEnd, size?: RequestSize): TurnHold | Ending {
  if (end.type === 'finish') {
    const errorCode = FINISHES.find(({ words }) => words.test(end.finishReason))?.code
    const limitReached = errorCode === 'length' ? size?.boundBy : undefined
    return { state: 'finished', cost: end, errorCode, limitReached }
  }
  const { error } = end
  if (error instanceof NotAskedError) return error.outcome
  if (error instanceof LeftQueueError) return NOT_ASKED
  if (error instanceof LimitReachedError) {
    const { code: errorCode, refusal: limitReached } = error
    return { state: 'failed', errorCode, cost: 'nothing', limitReached }
  }
  // Estimates are not exact: the service knows better if a request is too long, and may have meant that.
  if (isRefusedAsIs(error) && size !== undefined && size.promptTokens > size.ownTokens) {
    return { heldReason: 'conversation_too_long' }
  }
  const errorCode = error instanceof ServiceError ? error.code : 'internal'
  const cost = errorCode === 'internal' || mayBeCharged(error) ? 'shown' : 'nothing'
  return { state: 'failed', errorCode, cost }
}

function isRefusedAsIs(error: unknown): boolean {
  if (hasCode(error, 'context_length_exceeded')) return true
  return hasCode(error, 'invalid_request') && (error.status === 413 || error.status === 422)
}

export function wasAsked(end: AnswerEnd): boolean {
  const outcome = outcomeOf(end)
  return !('heldReason' in outcome) && !isUnasked(outcome.errorCode)
}

export function endingOfCutShort({
  shownText,
  stopRequestedAt,
}: Pick<Turn, 'shownText' | 'stopRequestedAt'>): Ending {
  // It showed nothing, and runs again unless a user stopped it.
  if (shownText === '') return NOT_ASKED
  return stopRequestedAt === null
    ? { state: 'interrupted', cost: 'shown' }
    : { state: 'stopped', errorCode: 'cut_short', cost: 'shown' }
}

export interface SeenAnswer {
  text: string
  size?: RequestSize | undefined
}

export class TurnEnds {
  readonly #app: App
  readonly #turns: Turns
  readonly #costs: TurnCosts
  readonly #requests: TurnRequests

  constructor(app: App, parts: { turns: Turns; costs: TurnCosts; requests: TurnRequests }) {
    this.#app = app
    this.#turns = parts.turns
    this.#costs = parts.costs
    this.#requests = parts.requests
  }

  async end(turn: Turn, { cost: source, ...how }: Ending, seen: SeenAnswer): Promise<Turn> {
    const { text, size } = seen
    const cost = await this.costOf(turn, source, seen)
    const isFollowed = how.state === 'finished' && size !== undefined
    const nextCostMicroRub = isFollowed
      ? await this.#nextCost(turn, { ...size, answer: text })
      : undefined
    return this.#turns.end(turn, { ...how, text, cost, nextCostMicroRub } satisfies TurnEnd)
  }

  async chargeShown(turn: Turn): Promise<void> {
    const text = turn.answer ?? turn.shownText
    await this.#turns.charge(turn, await this.#shownCost(turn, { text }))
  }

  async costOf(
    turn: Turn,
    source: Ending['cost'],
    seen: SeenAnswer,
  ): Promise<TurnCost | undefined> {
    if (source === 'nothing') return undefined
    if (source !== 'shown') {
      const reported = this.#costs.reported(source, turn.model, seen.size)
      if (reported !== undefined) return reported
    }
    const isAsked = seen.size !== undefined || turn.requestMicroRub !== null
    return isAsked ? this.#shownCost(turn, seen) : undefined
  }

  /** If the length of a request is lost, the service may keep the estimate that was recorded with the request. */
  async #shownCost(turn: Turn, { text, size }: SeenAnswer): Promise<TurnCost> {
    const { model, requestMicroRub } = turn
    if (size === undefined) {
      const promptTokens = text.trim() === '' ? 0 : await this.#requests.estimatePrompt(turn)
      return this.#costs.shown(model, { text, promptTokens, keptMicroRub: requestMicroRub ?? 0n })
    }
    const { promptTokens, answerTokens } = size
    const kept = this.#costs.estimate(model, promptTokens, answerTokens)
    return this.#costs.shown(model, { text, promptTokens, keptMicroRub: kept.amountMicroRub })
  }

  async #nextCost(turn: Turn, size: { promptTokens: number; answer: string }) {
    try {
      return await this.#costs.nextToShow(turn, size)
    } catch (error) {
      // The next reply shows it.
      this.#app.log.warn(turnFacts(turn.id, error), 'next cost not shown')
      return undefined
    }
  }
}
