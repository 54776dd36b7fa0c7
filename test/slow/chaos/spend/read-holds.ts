import type { Pool } from 'pg'
import type { ChargeRow } from './read-charges.ts'
import { type AskedModel, FIRST_PROMPT_TOKENS } from './unsteady-model.ts'

/** A request as the service kept it. */
export interface Hold {
  requestId: string
  priceMicroRub: bigint
  heldMicroRub: bigint
  /** Of a hold that ended in a version that kept no reasons: the one that what the model did explains. */
  endReason: string
  isOut: boolean
  createdAt: Date
  endedAt: Date
  asked: AskedModel | undefined
}

const HOLDS = `
  SELECT id AS "requestId", held_micro_rub AS held, prompt_tokens AS "promptTokens",
    coalesce(cost_micro_rub, held_micro_rub) AS price, end_reason::text AS "endReason",
    output_at IS NOT NULL AS "isOut", created_at AS "createdAt", ended_at AS "endedAt"
  FROM service.request ORDER BY created_at, id`

type ReadHold = Omit<Hold, 'endReason'> & { endReason: string | null }

/** An instant in the database is rounded to a millisecond. */
const ROUNDING_MS = 2
/** A model that is busy notices late that it was asked: the request may be over by then. */
const LATE_MS = 3_000

const FITTING: Readonly<Record<string, readonly AskedModel['untold'][]>> = {
  counted: ['no usage'],
  disbelieved: ['no possible usage'],
  broken: ['broken off'],
}

/**
 * Reads every request of the service, with what the model was asked for it.
 *
 * A count of the model's says which that was. Others are known by what was held for them, by the time, since the
 * model is asked once for each hold and while it is open, and by the charge that names the request.
 */
export async function readHolds(
  pool: Pool,
  { asked, charges }: { asked: readonly AskedModel[]; charges: readonly ChargeRow[] },
): Promise<{ holds: Map<string, Hold>; problems: string[] }> {
  const { rows } = await pool.query<
    Omit<ReadHold, 'asked'> & { held: string; price: string; promptTokens: number | null }
  >(HOLDS)
  const holds = rows.map(({ held, price, promptTokens, ...hold }) => ({
    ...hold,
    priceMicroRub: BigInt(price),
    heldMicroRub: BigInt(held),
    asked: asked[(promptTokens ?? 0) - FIRST_PROMPT_TOKENS],
  }))
  const counted = new Set(holds.map((hold) => hold.asked))
  const uncounted = new Set(holds.filter((hold) => hold.asked === undefined))
  const tags = new Map(charges.map(({ requestId, tag }) => [requestId, tag]))
  const problems: string[] = []
  for (const one of asked) {
    if (counted.has(one)) continue
    const open = [...uncounted].filter(
      (hold) => isOpenFor(hold, one) && [undefined, one.tag].includes(tags.get(hold.requestId)),
    )
    const hold = open.find((each) => fits(each, one)) ?? open[0]
    if (hold === undefined) {
      problems.push(`the model was asked about ${one.tag} without a hold of ${one.holdMicroRub}`)
      continue
    }
    hold.asked = one
    uncounted.delete(hold)
  }
  const read = holds.map(
    (hold): Hold => ({
      ...hold,
      endReason: hold.endReason ?? reasonOf(hold.asked?.untold),
    }),
  )
  return { holds: new Map(read.map((hold) => [hold.requestId, hold])), problems }
}

function reasonOf(untold: AskedModel['untold']): string {
  const found = Object.entries(FITTING).find(([, fitting]) => fitting.includes(untold))
  return found?.[0] ?? 'usage'
}

function isOpenFor(hold: ReadHold, { holdMicroRub, askedAt }: AskedModel): boolean {
  if (hold.heldMicroRub !== holdMicroRub) return false
  const sinceMs = askedAt.getTime() - hold.createdAt.getTime()
  const pastMs = askedAt.getTime() - hold.endedAt.getTime()
  return sinceMs >= -ROUNDING_MS && pastMs <= LATE_MS
}

function fits(
  { endReason, priceMicroRub }: ReadHold,
  { untold, billMicroRub }: AskedModel,
): boolean {
  const fitting = FITTING[endReason ?? reasonOf(untold)]
  return fitting === undefined
    ? untold === undefined && priceMicroRub === billMicroRub
    : fitting.includes(untold)
}
