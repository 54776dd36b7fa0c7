import type { Logger } from 'pino'
import { type CostNotes, isShown } from '../../../spend/cost-notes.ts'
import { errorFacts } from '../../../telegram/error-facts.ts'
import type { Turn } from '../../turns/turn.ts'
import type { Turns } from '../../turns/turns.ts'
import type { AgainOffer, AgainOffers } from '../again-offers.ts'
import type { AnswerRowSetting } from '../answer-row-setting.ts'
import { decisionsFor, type EndOffers } from '../turn-keyboards.ts'

export interface EndOffersDeps {
  turns: Pick<Turns, 'isLast'>
  againOffers: AgainOffers
  costNotes: Pick<CostNotes, 'ofUser'>
  rowSetting: Pick<AnswerRowSetting, 'isShown'>
  log: Logger
}

/** Reads the offers below turns that ended. */
export function createEndOffers({ turns, againOffers, costNotes, rowSetting, log }: EndOffersDeps) {
  /** Never throws: an answer is shown even if its offers are not known. */
  return async (turn: Turn): Promise<EndOffers> => {
    try {
      const [again, isCostShown] = await Promise.all([readAgain(turn), readIsCostShown(turn)])
      return { again, isCostShown }
    } catch (error) {
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing offered')
      return { again: [], isCostShown: false }
    }
  }

  /** Only the last answer of a thread is given again: the messages after an older one rest on it. */
  async function readAgain(turn: Turn): Promise<readonly AgainOffer[]> {
    if (!decisionsFor(turn).includes('again')) return []
    // Below a failure it is the way on, and no convenience.
    if (turn.state === 'finished' && !(await rowSetting.isShown())) return []
    const isLast = turn.isLast ?? (await turns.isLast(turn))
    return isLast ? againOffers.offersFor(turn) : []
  }

  async function readIsCostShown({ charge, userId }: Turn): Promise<boolean> {
    if (charge === undefined) return false
    const { note } = await costNotes.ofUser(userId)
    return isShown(charge.amountMicroRub, note)
  }
}

export type ReadEndOffers = ReturnType<typeof createEndOffers>
