import type { Logger } from 'pino'
import { type CostNotes, isShown } from '../../../spend/cost-notes.ts'
import { errorFacts } from '../../../telegram/error-facts.ts'
import type { Turn } from '../../turns/turn.ts'
import type { Turns } from '../../turns/turns.ts'
import type { AgainOffer, AgainOffers } from '../again-offers.ts'
import { type Decision, decisionsFor, type EndOffers } from '../turn-keyboards.ts'

export interface EndOffersDeps {
  turns: Pick<Turns, 'isLast'>
  againOffers: AgainOffers
  costNotes: Pick<CostNotes, 'ofUser'>
  log: Logger
}

/** Reads the offers below turns that ended. */
export function createEndOffers({ turns, againOffers, costNotes, log }: EndOffersDeps) {
  /** Never throws: an answer is shown even if its offers are not known. */
  return async (turn: Turn): Promise<EndOffers> => {
    try {
      const [again, isUndoable, isCostShown] = await Promise.all([
        readAgain(turn),
        isOffered('undo', turn),
        readIsCostShown(turn),
      ])
      return { again, isUndoable, isCostShown }
    } catch (error) {
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing offered')
      return { again: [], isUndoable: false, isCostShown: false }
    }
  }

  async function readAgain(turn: Turn): Promise<readonly AgainOffer[]> {
    return (await isOffered('again', turn)) ? againOffers.offersFor(turn) : []
  }

  /** Only the last answer of a thread is given again, or undone: the messages after an older one rest on it. */
  async function isOffered(decision: Decision, turn: Turn): Promise<boolean> {
    if (!decisionsFor(turn).includes(decision)) return false
    return turn.isLast ?? turns.isLast(turn)
  }

  async function readIsCostShown({ charge, userId }: Turn): Promise<boolean> {
    if (charge === undefined) return false
    const { note } = await costNotes.ofUser(userId)
    return isShown(charge.amountMicroRub, note)
  }
}

export type ReadEndOffers = ReturnType<typeof createEndOffers>
