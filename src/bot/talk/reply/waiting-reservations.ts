import type { Logger } from 'pino'
import { LimitReachedError } from '../../spend/limits/limit-refusal.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { Turn } from '../turns/turn.ts'

export interface WaitingReservationsDeps {
  reserve: (turn: Turn) => Promise<void>
  log: Logger
}

/**
 * Reserves the cost of turns as soon as they wait in the queue, so that none waits long only to be refused.
 *
 * It takes one turn at a time: the cost of a turn is estimated from its conversation, and those of a long queue would
 * fill the memory. A turn whose time comes before that is judged when it asks, as all are.
 */
export function createWaitingReservations({ reserve, log }: WaitingReservationsDeps) {
  let last = Promise.resolve()
  return { begin }

  /**
   * @param onRefused Called if a limit leaves no room.
   * @returns A function that ends it, and resolves when nothing of it is under way.
   */
  function begin(turn: Turn, onRefused: (error: LimitReachedError) => void): () => Promise<void> {
    let isWanted = true
    let underWay: Promise<void> | undefined
    last = last.then(() => {
      if (isWanted) underWay = attempt()
      return underWay
    })
    return async () => {
      isWanted = false
      await underWay
    }

    async function attempt(): Promise<void> {
      try {
        await reserve(turn)
      } catch (error) {
        if (error instanceof LimitReachedError) return onRefused(error)
        log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing reserved yet')
      }
    }
  }
}

export type WaitingReservations = ReturnType<typeof createWaitingReservations>
