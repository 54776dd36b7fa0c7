import type { BillsReport, Estimate } from '../bills.ts'
import type { PastFault } from '../chaos-faults.ts'
import { explainEstimate } from './explain-estimate.ts'
import type { ChargeRow } from './read-charges.ts'
import type { Hold } from './read-holds.ts'
import type { SentMessage } from './spend-users.ts'

/** The fate of the charges of turns, each with the request of the service and the model's bill that explain it. */
export interface TurnChargesReport {
  problems: string[]
  counts: {
    exact: number
    estimated: number
    writtenOff: number
    /** Those of both whose request the service gave back: the bot could not know. */
    givenBack: number
    /** Those whose request never came to the service: no process was left to report it. */
    unsent: number
  }
  users: BillsReport
  service: BillsReport
  aboveMicroRub: bigint
  writtenOffMicroRub: bigint
}

/** An instant in the database is rounded to a millisecond. */
const ROUNDING_MS = 2

/**
 * Finds for each charge of a turn the one request that it is for, for each request that the service charged the one
 * charge, and compares both with what the model billed for it.
 *
 * An exact charge names its request, and is its price. The request of an estimate is known by its name, or by what the
 * model was asked for it while its turn was answered. Where what is charged is not what the model billed, the end must
 * have been one that nobody could know (`explain-estimate.ts`).
 */
export function explainTurnCharges(
  charges: readonly ChargeRow[],
  {
    holds,
    sent,
    faults,
  }: {
    holds: ReadonlyMap<string, Hold>
    sent: readonly SentMessage[]
    faults: readonly PastFault[]
  },
): TurnChargesReport {
  const left = new Map(holds)
  const sentByTag = new Map(sent.map((one) => [one.tag, one]))
  const counts = { exact: 0, estimated: 0, writtenOff: 0, givenBack: 0, unsent: 0 }
  const sums = { aboveMicroRub: 0n, writtenOffMicroRub: 0n }
  const users = {
    requests: 0,
    billedMicroRub: 0n,
    chargedMicroRub: 0n,
    estimates: [] as Estimate[],
  }
  const service = { ...users, estimates: [] as Estimate[] }
  const problems: string[] = []

  const doubtful: ChargeRow[] = []
  for (const charge of charges) {
    problems.push(...findStranger(charge, sentByTag))
    if (charge.estimated) doubtful.push(charge)
    else explainExact(charge)
  }
  // Those who pay come first: nobody pays for a request that was another's.
  const inOrder = doubtful.toSorted((one, other) => rankOf(one) - rankOf(other))
  const finders = [findNamed, findAsked, findSentLate, findUnasked]
  const unexplained = finders.reduce(
    (some, find) => some.filter((charge) => !explainDoubtful(charge, find(charge))),
    inOrder,
  )
  for (const charge of unexplained) {
    const isHidden = charge.takenBack !== 'no' || charge.errorCode === 'outcome_unknown'
    if (isHidden) counts.unsent += 1
    else problems.push(`${nameOf(charge)} is an estimate of no request`)
    if (charge.takenBack === 'no') sums.aboveMicroRub += charge.amountMicroRub
    if (charge.takenBack !== 'no') counts.writtenOff += 1
    compare({ charge })
  }
  for (const hold of left.values()) {
    compare({ hold })
    const { requestId, priceMicroRub, asked, createdAt } = hold
    if (priceMicroRub === 0n) continue
    const others = charges.filter(({ tag }) => tag === asked?.tag).map(describeCharge)
    problems.push(
      `request ${requestId} of ${asked?.tag} at ${createdAt.toISOString()} cost ${priceMicroRub} and has no charge; of its tag: ${others.join(', ')}`,
    )
  }
  return { problems, counts, users, service, ...sums }

  function explainExact(charge: ChargeRow): void {
    const hold = left.get(charge.requestId ?? '')
    const isIts = hold?.asked === undefined || hold.asked.tag === charge.tag
    if (hold?.priceMicroRub !== charge.amountMicroRub || !isIts || charge.takenBack !== 'no') {
      const was = hold && `${hold.priceMicroRub} for ${hold.asked?.tag}`
      problems.push(`${nameOf(charge)} is exact, its request ${charge.requestId} cost ${was}`)
    }
    if (hold !== undefined) left.delete(hold.requestId)
    counts.exact += 1
    compare({ charge, hold })
  }

  function explainDoubtful(charge: ChargeRow, hold: Hold | undefined): boolean {
    if (hold === undefined) return false
    left.delete(hold.requestId)
    if (hold.priceMicroRub === 0n) counts.givenBack += 1
    if (charge.takenBack === 'no') {
      counts.estimated += 1
      sums.aboveMicroRub += charge.amountMicroRub - hold.priceMicroRub
    } else {
      counts.writtenOff += 1
      sums.writtenOffMicroRub += hold.priceMicroRub
    }
    compare({ charge, hold })
    return true
  }

  function compare(request: { charge?: ChargeRow; hold?: Hold | undefined }): void {
    const { charge, hold } = request
    const billedMicroRub = hold?.asked?.billMicroRub ?? 0n
    const tookMicroRub = hold?.priceMicroRub ?? 0n
    const paidMicroRub = charge?.takenBack === 'no' ? charge.amountMicroRub : 0n
    const explained = explainEstimate(
      { charge, hold, billedMicroRub, tookMicroRub, paidMicroRub },
      faults,
    )
    problems.push(...explained.problems)
    const name = charge === undefined ? `request about ${hold?.asked?.tag}` : nameOf(charge)
    for (const [report, chargedMicroRub, reason] of [
      [service, tookMicroRub, explained.ofService],
      [users, paidMicroRub, explained.ofUser],
    ] as const) {
      report.requests += 1
      report.billedMicroRub += billedMicroRub
      report.chargedMicroRub += chargedMicroRub
      if (reason !== undefined) {
        report.estimates.push({ name, reason, billedMicroRub, chargedMicroRub })
      }
    }
  }

  function findNamed({ requestId }: ChargeRow): Hold | undefined {
    return left.get(requestId ?? '')
  }

  /**
   * The last one about the same, since nothing is asked for a turn before the charge of the request before it, nor once
   * the next attempt has begun: that may be before the charge of a turn that was stopped.
   */
  function findAsked(charge: ChargeRow): Hold | undefined {
    const untilMs = Math.min(
      ...charges.filter(isNextOf(charge)).map(({ begunAt }) => begunAt.getTime()),
    )
    return findLast(
      charge,
      (hold) => hold.asked?.tag === charge.tag && hold.createdAt.getTime() < untilMs,
    )
  }

  /** Its process was frozen with the request in its hand: another one has ended its turn before it was sent. */
  function findSentLate({ requestId, tag, createdAt }: ChargeRow): Hold | undefined {
    if (requestId !== null) return undefined
    return left
      .values()
      .find((hold) => hold.asked?.tag === tag && hold.createdAt.getTime() >= createdAt.getTime())
  }

  function findUnasked(charge: ChargeRow): Hold | undefined {
    return findLast(
      charge,
      (hold) => hold.asked === undefined && hold.priceMicroRub === 0n && isPriceOf(charge, hold),
    )
  }

  function findLast(charge: ChargeRow, isIts: (hold: Hold) => boolean): Hold | undefined {
    if (charge.requestId !== null) return undefined
    return [...left.values()].findLast((hold) => isIts(hold) && isWithin(charge, hold))
  }
}

function isNextOf({ tag, turnId, begunAt }: ChargeRow): (other: ChargeRow) => boolean {
  return (other) => other.tag === tag && other.turnId !== turnId && other.begunAt > begunAt
}

function isWithin({ begunAt, createdAt }: ChargeRow, hold: Hold): boolean {
  const ms = hold.createdAt.getTime()
  return ms >= begunAt.getTime() - ROUNDING_MS && ms <= createdAt.getTime() + ROUNDING_MS
}

/** A turn that is taken up in its middle is estimated again, from what its conversation is by then. */
function isPriceOf(
  { amountMicroRub, writtenOffMicroRub, askedMicroRub }: ChargeRow,
  { heldMicroRub }: Hold,
): boolean {
  return heldMicroRub === amountMicroRub + writtenOffMicroRub || heldMicroRub === askedMicroRub
}

function rankOf({ takenBack }: ChargeRow): number {
  return takenBack === 'no' ? 0 : 1
}

/** A charge is of who asked, where they asked. */
function findStranger(charge: ChargeRow, sent: ReadonlyMap<string, SentMessage>): string[] {
  const one = sent.get(charge.tag ?? '')
  const isIts = one?.userId === charge.userId && one.chatId === charge.chatId
  return isIts ? [] : [`${nameOf(charge)} is of user ${charge.userId} in chat ${charge.chatId}`]
}

function describeCharge({ id, turnId, state, errorCode, requestId, ...charge }: ChargeRow): string {
  const { takenBack, amountMicroRub, writtenOffMicroRub, begunAt, createdAt } = charge
  const times = `begun ${begunAt.toISOString()}, charged ${createdAt.toISOString()}`
  return `${id} (turn ${turnId} ${state} ${errorCode}, request ${requestId}, ${amountMicroRub}, written off ${writtenOffMicroRub}, taken back: ${takenBack}, ${times})`
}

function nameOf({ id, turnId, tag, amountMicroRub }: ChargeRow): string {
  return `charge ${id} (turn ${turnId}, ${tag}, ${amountMicroRub})`
}
