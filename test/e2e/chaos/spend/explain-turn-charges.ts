import type { Pool } from 'pg'
import type { ChargeRow } from './read-charges.ts'
import type { SentMessage } from './spend-users.ts'
import { type AskedModel, FIRST_PROMPT_TOKENS } from './unsteady-model.ts'

interface Hold {
  requestId: string
  /** The price that the service kept for it in the end. */
  priceMicroRub: bigint
  heldMicroRub: bigint
  /** The request to the model, if its count of tokens shows it. */
  asked: AskedModel | undefined
}

/** The fate of the charges of turns, each with the request of the service that explains it. */
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
  /** The amount that the service charged, and the one that users pay of it. */
  serviceMicroRub: bigint
  exactMicroRub: bigint
  /** The amount by which estimates are above what the service charged for their requests. */
  aboveMicroRub: bigint
  /** The amount that the service charged for requests that are written off. */
  writtenOffMicroRub: bigint
}

const HOLDS = `
  SELECT request_id AS "requestId", amount_micro_rub AS held, prompt_tokens AS "promptTokens",
    coalesce(cost_micro_rub, amount_micro_rub) AS price
  FROM service.hold ORDER BY created_at, request_id`

/**
 * Finds for each charge of a turn the one request that it is for, and for each request that the service
 * charged the one charge.
 *
 * An exact charge names its request, and is its price; the model's count of tokens says that the request was
 * about the charge's own message. Of an estimate the request is known by its name, by what the model counted,
 * or by what was held for it, which is what the estimate comes to, and by what the model was asked.
 */
export async function explainTurnCharges(
  pool: Pool,
  charges: readonly ChargeRow[],
  { asked, sent }: { asked: readonly AskedModel[]; sent: readonly SentMessage[] },
): Promise<TurnChargesReport> {
  const left = await readHolds(pool, asked)
  const counted = new Set(left.values().map((hold) => hold.asked))
  const askedLeft = asked.filter((one) => !counted.has(one))
  const sentByTag = new Map(sent.map((one) => [one.tag, one]))
  const counts = { exact: 0, estimated: 0, writtenOff: 0, givenBack: 0, unsent: 0 }
  const sums = { serviceMicroRub: 0n, exactMicroRub: 0n, aboveMicroRub: 0n, writtenOffMicroRub: 0n }
  const problems: string[] = []
  for (const { priceMicroRub } of left.values()) sums.serviceMicroRub += priceMicroRub

  const doubtful: ChargeRow[] = []
  for (const charge of charges) {
    problems.push(...findStranger(charge, sentByTag))
    if (charge.estimated) doubtful.push(charge)
    else explainExact(charge)
  }
  // Those who pay come first: nobody pays for a request that was another's.
  const inOrder = doubtful.toSorted((one, other) => rankOf(one) - rankOf(other))
  const finders = [findNamed, findCounted, findHeld, findGivenBack]
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
  }
  for (const { requestId, priceMicroRub, asked: about } of left.values()) {
    if (priceMicroRub === 0n) continue
    problems.push(`request ${requestId} of ${about?.tag} cost ${priceMicroRub} and has no charge`)
  }
  return { problems, counts, ...sums }

  function explainExact(charge: ChargeRow): void {
    const hold = left.get(charge.requestId ?? '')
    const isIts = hold?.asked === undefined || hold.asked.tag === charge.tag
    if (hold?.priceMicroRub !== charge.amountMicroRub || !isIts || charge.takenBack !== 'no') {
      const was = hold && `${hold.priceMicroRub} for ${hold.asked?.tag}`
      problems.push(`${nameOf(charge)} is exact, its request ${charge.requestId} cost ${was}`)
    }
    if (hold !== undefined) left.delete(hold.requestId)
    counts.exact += 1
    sums.exactMicroRub += charge.amountMicroRub
  }

  /** @returns Whether it is explained. */
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
    return true
  }

  function findNamed({ requestId }: ChargeRow): Hold | undefined {
    return left.get(requestId ?? '')
  }

  function findCounted({ requestId, tag }: ChargeRow): Hold | undefined {
    if (requestId !== null) return undefined
    return left.values().find((hold) => hold.asked !== undefined && hold.asked.tag === tag)
  }

  /** One of the same price that the model was asked about the same; one that was charged, if there is one. */
  function findHeld(charge: ChargeRow): Hold | undefined {
    const { requestId, tag } = charge
    const index = askedLeft.findIndex(
      (one) => one?.tag === tag && isPriceOf(charge, one.holdMicroRub),
    )
    const like = findLike(charge)
    const hold = like.find(({ priceMicroRub }) => priceMicroRub > 0n) ?? like[0]
    if (requestId !== null || index < 0 || hold === undefined) return undefined
    askedLeft.splice(index, 1)
    return hold
  }

  /** The service ended before it asked the model. */
  function findGivenBack(charge: ChargeRow): Hold | undefined {
    if (charge.requestId !== null) return undefined
    return findLike(charge).find(({ priceMicroRub }) => priceMicroRub === 0n)
  }

  function findLike(charge: ChargeRow): Hold[] {
    const uncounted = left.values().filter((hold) => hold.asked === undefined)
    return [...uncounted.filter(({ heldMicroRub }) => isPriceOf(charge, heldMicroRub))]
  }
}

/** A turn that is taken up in its middle is estimated again, from what its conversation is by then. */
function isPriceOf({ amountMicroRub, askedMicroRub }: ChargeRow, heldMicroRub: bigint): boolean {
  return heldMicroRub === amountMicroRub || heldMicroRub === askedMicroRub
}

function rankOf({ takenBack }: ChargeRow): number {
  return takenBack === 'no' ? 0 : 1
}

async function readHolds(pool: Pool, asked: readonly AskedModel[]): Promise<Map<string, Hold>> {
  const { rows } = await pool.query<{
    requestId: string
    held: string
    price: string
    promptTokens: number | null
  }>(HOLDS)
  return new Map(
    rows.map(({ requestId, held, price, promptTokens }) => [
      requestId,
      {
        requestId,
        priceMicroRub: BigInt(price),
        heldMicroRub: BigInt(held),
        asked: asked[(promptTokens ?? 0) - FIRST_PROMPT_TOKENS],
      },
    ]),
  )
}

/** A charge is of who asked, where they asked. */
function findStranger(charge: ChargeRow, sent: ReadonlyMap<string, SentMessage>): string[] {
  const one = sent.get(charge.tag ?? '')
  const isIts = one?.userId === charge.userId && one.chatId === charge.chatId
  return isIts ? [] : [`${nameOf(charge)} is of user ${charge.userId} in chat ${charge.chatId}`]
}

function nameOf({ id, turnId, tag, amountMicroRub }: ChargeRow): string {
  return `charge ${id} (turn ${turnId}, ${tag}, ${amountMicroRub})`
}
