import type { Pool } from 'pg'

interface Movement {
  subjectId: number
  periodStart: string
  at: Date
  amountMicroRub: bigint
  askedAt: Date | null
  aboveMicroRub: bigint
}

interface Limit {
  subjectId: number
  period: string
  amountMicroRub: bigint
}

/** How far limits were passed, at the worst moment of each. */
export interface LimitsReport {
  problems: string[]
  figures: {
    limits: number
    reached: number
    passedMicroRub: bigint
    aboveMicroRub: bigint
  }
}

const LIMITS = `
  SELECT subject_id::float8 AS "subjectId", period::text, amount_micro_rub AS amount
  FROM bot.spend_limit WHERE amount_micro_rub IS NOT NULL`

/** An order costs what was reserved for it. What is written off at once never counted. */
const MOVEMENTS = `
  SELECT CASE WHEN $2 THEN charge.user_id ELSE charge.chat_id END::float8 AS "subjectId",
    CASE WHEN $3 = 'all' THEN '' ELSE date_trunc($3, charge.day::timestamp)::text END AS "periodStart",
    charge.created_at AS at, charge.amount_micro_rub AS amount, coalesce(hold.created_at, "order".created_at) AS "askedAt",
    greatest(charge.amount_micro_rub - hold.held_micro_rub, 0) AS above
  FROM bot.charge LEFT JOIN service.request AS hold ON hold.id::text = charge.request_id
    LEFT JOIN bot."order" ON "order".id = charge.order_id AND charge.reversal_of IS NULL
  WHERE CASE WHEN $2 THEN charge.user_id ELSE charge.chat_id END = $1
    AND NOT charge.written_off
    AND NOT EXISTS (SELECT FROM bot.charge AS back WHERE back.reversal_of = charge.id AND back.written_off)
  ORDER BY charge.created_at, charge.id`

/** Reserving comes before asking, and a charge is dated before it is written. */
const SLACK_MS = 5_000

/**
 * Follows what limited users and groups spent from charge to charge.
 *
 * What was reserved fitted below the limit when the last request was let through. So at no moment a limit may
 * be passed by more than what the requests that were settled since cost above their reservations; and nothing
 * is let through while it is passed.
 */
export async function checkLimits(pool: Pool): Promise<LimitsReport> {
  const { rows } = await pool.query<Omit<Limit, 'amountMicroRub'> & { amount: string }>(LIMITS)
  const problems: string[] = []
  const figures = { limits: rows.length, reached: 0, passedMicroRub: 0n, aboveMicroRub: 0n }
  for (const { amount, ...limit } of rows) {
    await follow({ ...limit, amountMicroRub: BigInt(amount) })
  }
  return { problems, figures }

  async function follow(limit: Limit): Promise<void> {
    const movements = await readMovements(pool, limit)
    for (const ofPeriod of Map.groupBy(movements, (one) => one.periodStart).values()) {
      judge(limit, ofPeriod)
    }
  }

  function judge(limit: Limit, movements: readonly Movement[]): void {
    const name = `limit ${limit.amountMicroRub} of ${limit.subjectId}`
    let spent = 0n
    let passedSince: Date | undefined
    for (const [index, { at, amountMicroRub, aboveMicroRub, askedAt }] of movements.entries()) {
      if (passedSince !== undefined && askedAt !== null && isLater(askedAt, passedSince)) {
        problems.push(`${name}: asked at ${askedAt.toISOString()} although it was passed`)
      }
      spent += amountMicroRub
      if (aboveMicroRub > figures.aboveMicroRub) figures.aboveMicroRub = aboveMicroRub
      const passed = spent - limit.amountMicroRub
      passedSince = passed > 0n ? (passedSince ?? at) : undefined
      if (passed <= 0n) continue
      if (passed > figures.passedMicroRub) figures.passedMicroRub = passed
      const above = sum(settledSinceLastAsked(movements, index))
      if (passed > above) {
        const when = at.toISOString()
        problems.push(`${name}: passed by ${passed} at ${when}, settlements explain ${above}`)
      }
    }
    if (movements.length > 0 && spent * 10n >= limit.amountMicroRub * 9n) figures.reached += 1
  }
}

async function readMovements(pool: Pool, { subjectId, period }: Limit): Promise<Movement[]> {
  const { rows } = await pool.query<Movement & { amount: string; above: string | null }>(
    MOVEMENTS,
    [subjectId, subjectId > 0, period],
  )
  return rows.map(({ amount, above, ...movement }) => ({
    ...movement,
    amountMicroRub: BigInt(amount),
    aboveMicroRub: BigInt(above ?? 0),
  }))
}

/** Finds what was settled up to a movement, and was under way when a request was let through last before it. */
function settledSinceLastAsked(movements: readonly Movement[], index: number): Movement[] {
  const { at } = movements[index] as Movement
  const asked = movements.flatMap(({ askedAt }) =>
    askedAt !== null && askedAt <= at ? [askedAt] : [],
  )
  const last = Math.max(...asked.map((each) => each.getTime())) - SLACK_MS
  return movements.slice(0, index + 1).filter((one) => one.at.getTime() >= last)
}

function sum(movements: readonly Movement[]): bigint {
  return movements.reduce((total, { aboveMicroRub }) => total + aboveMicroRub, 0n)
}

function isLater(one: Date, other: Date): boolean {
  return one.getTime() > other.getTime() + SLACK_MS
}
