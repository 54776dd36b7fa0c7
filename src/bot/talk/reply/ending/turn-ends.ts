import type { Logger } from 'pino'
import { retryUntilStored } from '../../../../platform/database/retry-until-stored.ts'
import type { Clock } from '../../../../platform/time/clock.ts'
import type { TurnCost, TurnCosts } from '../../../spend/charges/turn-cost.ts'
import { errorFacts } from '../../../telegram/error-facts.ts'
import { type Turn, toTurnCharge } from '../../turns/turn.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Ending } from '../next-step.ts'
import type { RequestSize, TurnRequests } from '../turn-request.ts'

export interface TurnEndsDeps {
  turns: Pick<Turns, 'end' | 'charge'>
  costs: TurnCosts
  requests: Pick<TurnRequests, 'estimatePrompt'>
  clock: Clock
  log: Logger
  signal: AbortSignal
}

/** The text that a user has seen of an answer, and about how long its request was, where that is known. */
export interface SeenAnswer {
  text: string
  size?: RequestSize | undefined
}

/** Stores the ends of turns, and finds the cost of each. */
export function createTurnEnds({ turns, costs, requests, clock, log, signal }: TurnEndsDeps) {
  return { end, charge, chargeShown, costOf, untilStored }

  async function end(
    turn: Turn,
    { cost: source, ...how }: Ending,
    { text, size }: SeenAnswer,
  ): Promise<Turn> {
    const cost = await costOf(turn, source, { text, size })
    const nextCostMicroRub =
      how.state === 'finished' && size !== undefined
        ? await nextCost(turn, { ...size, answer: text })
        : undefined
    return untilStored(() => turns.end(turn, { ...how, text, cost, nextCostMicroRub }))
  }

  async function charge(turn: Turn, cost: TurnCost): Promise<Turn> {
    await untilStored(() => turns.charge(turn, cost))
    return { ...turn, charge: toTurnCharge(cost) }
  }

  async function chargeShown(turn: Turn): Promise<Turn> {
    return charge(turn, await shownCost(turn, { text: turn.answer ?? turn.shownText }))
  }

  async function costOf(
    turn: Turn,
    source: Ending['cost'],
    seen: SeenAnswer,
  ): Promise<TurnCost | undefined> {
    if (source === 'nothing') return undefined
    if (source !== 'shown') {
      const reported = costs.reported(source, turn.model, seen.size)
      if (reported !== undefined) return reported
    }
    const isAsked = seen.size !== undefined || turn.requestMicroRub !== null
    return isAsked ? shownCost(turn, seen) : undefined
  }

  /**
   * Where the length of a request is not known any more, the estimate that was recorded as it went out is what the
   * service may keep.
   */
  async function shownCost(turn: Turn, { text, size }: SeenAnswer): Promise<TurnCost> {
    const { model, requestMicroRub } = turn
    if (size === undefined) {
      const promptTokens = text.trim() === '' ? 0 : await requests.estimatePrompt(turn)
      return costs.shown(model, { text, promptTokens, keptMicroRub: requestMicroRub ?? 0n })
    }
    const { promptTokens, answerTokens } = size
    const { amountMicroRub: keptMicroRub } = costs.estimate(model, promptTokens, answerTokens)
    return costs.shown(model, { text, promptTokens, keptMicroRub })
  }

  async function nextCost(turn: Turn, size: { promptTokens: number; answer: string }) {
    return costs.nextToShow(turn, size).catch((error: unknown) => {
      // The next reply shows it.
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'next cost not shown')
      return undefined
    })
  }

  /** Writes until it is stored: an answer and its cost are not lost when the database is away for a while. */
  function untilStored<T>(write: () => Promise<T>): Promise<T> {
    return retryUntilStored(write, {
      clock,
      signal,
      onTrouble: (error, delayMs) =>
        log.warn({ ...errorFacts(error), delayMs }, 'end of a turn not stored yet'),
    })
  }
}

export type TurnEnds = ReturnType<typeof createTurnEnds>
