import type { Logger } from 'pino'
import { retryUntilStored } from '../../../../platform/database/retry-until-stored.ts'
import type { Clock } from '../../../../platform/time/clock.ts'
import type { TurnCost, TurnCosts } from '../../../spend/charges/turn-cost.ts'
import { errorFacts } from '../../../telegram/error-facts.ts'
import type { Turn } from '../../turns/turn.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Ending } from '../next-step.ts'
import type { RequestSize, TurnRequests } from '../turn-request.ts'

export interface TurnEndsDeps {
  turns: Pick<Turns, 'end' | 'charge'>
  costs: TurnCosts
  requests: Pick<TurnRequests, 'estimatePrompt'>
  clock: Clock
  log: Logger
  /** Ends the attempts to store an end. */
  signal: AbortSignal
}

/** Stores the ends of turns, and finds the cost of each. */
export function createTurnEnds({ turns, costs, requests, clock, log, signal }: TurnEndsDeps) {
  return { end, charge, costOf, estimate, untilStored }

  async function end(
    turn: Turn,
    { cost: source, ...how }: Ending,
    { text, size }: { text: string; size?: RequestSize | undefined },
  ): Promise<Turn> {
    const cost = await costOf(turn, source, size)
    const nextCostMicroRub =
      how.state === 'finished' && size !== undefined
        ? await nextCost(turn, { ...size, answer: text })
        : undefined
    return untilStored(() => turns.end(turn, { ...how, text, cost, nextCostMicroRub }))
  }

  async function charge(turn: Turn, cost: TurnCost): Promise<Turn> {
    await untilStored(() => turns.charge(turn, cost))
    return { ...turn, charge: cost }
  }

  async function costOf(
    turn: Turn,
    source: Ending['cost'],
    size: RequestSize | undefined,
  ): Promise<TurnCost | undefined> {
    if (source === 'nothing') return undefined
    if (source === 'write_off') {
      return size && { ...estimateOf(turn, size), isWrittenOff: true }
    }
    const reported = source === 'estimate' ? undefined : costs.reported(source, turn.model, size)
    return reported ?? (size === undefined ? estimate(turn) : estimateOf(turn, size))
  }

  function estimateOf({ model }: Turn, { promptTokens, answerTokens }: RequestSize): TurnCost {
    return costs.estimate(model, promptTokens, answerTokens)
  }

  /**
   * The cost of a request whose length is not known any more: the estimate that was recorded as it went out counts. The
   * price of its model may have changed by now, or may not be known again yet.
   */
  async function estimate(turn: Turn): Promise<TurnCost> {
    const { requestMicroRub } = turn
    if (requestMicroRub !== null) return { amountMicroRub: requestMicroRub, estimated: true }
    return costs.estimate(turn.model, await requests.estimatePrompt(turn))
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
