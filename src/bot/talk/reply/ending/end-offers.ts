import type { Logger } from 'pino'
import { type CostNotes, isShown } from '../../../spend/cost-notes.ts'
import { errorFacts } from '../../../telegram/error-facts.ts'
import type { Turn } from '../../turns/turn.ts'
import type { Turns } from '../../turns/turns.ts'
import type { AgainOffer, AgainOffers } from '../again/again-offers.ts'
import { decisionsFor, type EndOffers } from '../turn-keyboards.ts'

export interface EndOffersDeps {
  turns: Pick<Turns, 'isLast'>
  againOffers: AgainOffers
  costNotes: Pick<CostNotes, 'ofUser'>
  log: Logger
}

/** Reads what is offered below turns that ended. */
export function createEndOffers({ turns, againOffers, costNotes, log }: EndOffersDeps) {
  /** Never throws: that it is not known is no reason to keep an answer back. */
  return async (turn: Turn): Promise<EndOffers> => {
    try {
      const [again, isCostTold] = await Promise.all([readAgain(turn), readIsCostTold(turn)])
      return { again, isCostTold }
    } catch (error) {
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing offered')
      return { again: [], isCostTold: false }
    }
  }

  /** Only the last answer of a thread is given again: what follows an older one rests on it. */
  async function readAgain(turn: Turn): Promise<readonly AgainOffer[]> {
    if (!decisionsFor(turn).includes('again')) return []
    const isLast = turn.isLast ?? (await turns.isLast(turn))
    return isLast ? againOffers.offersFor(turn) : []
  }

  async function readIsCostTold({ charge, userId }: Turn): Promise<boolean> {
    if (charge === undefined) return false
    const { note } = await costNotes.ofUser(userId)
    return isShown(charge.amountMicroRub, note)
  }
}

export type ReadEndOffers = ReturnType<typeof createEndOffers>
