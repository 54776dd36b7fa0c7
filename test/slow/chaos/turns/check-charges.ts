import type { Pool } from 'pg'

interface Charge {
  turn: string
  amount: string
  estimated: boolean
}

const CHARGES = `
  SELECT turn_id AS turn, amount_micro_rub AS amount, estimated FROM bot.charge
  WHERE reversal_of IS NULL ORDER BY id`
const PRICES = `
  SELECT coalesce(cost_micro_rub, held_micro_rub) AS price
  FROM service.request WHERE end_state IS DISTINCT FROM 'released'`
/** A request that was withdrawn was refused, and its model was not asked. */
const COUNTS = `
  SELECT (SELECT count(*)::int FROM service.request WHERE end_reason IS DISTINCT FROM 'withdrawn') AS got,
    (SELECT sum(requests)::int FROM bot.turn) AS made`

/**
 * Compares the charges of turns with what the service charged the bot.
 *
 * A cost that was reported is one that the service charged. Each other request that it charged has a row that is
 * an estimate, be it one that was written off because a crash hid the request's end.
 *
 * @returns What is not explained, in sentences.
 */
export async function checkCharges(pool: Pool): Promise<string[]> {
  const { rows: charges } = await pool.query<Charge>(CHARGES)
  const { rows: prices } = await pool.query<{ price: string }>(PRICES)
  const { rows: counts } = await pool.query<{ got: number; made: number | null }>(COUNTS)
  const problems: string[] = []
  const left = prices.map(({ price }) => price)
  for (const { turn, amount } of charges.filter(({ estimated }) => !estimated)) {
    const at = left.indexOf(amount)
    if (at < 0) problems.push(`turn ${turn} was charged ${amount}, the service was not`)
    else left.splice(at, 1)
  }
  const estimates = charges.filter(({ estimated }) => estimated).length
  if (left.length > estimates) {
    problems.push(
      `the service charged ${left.length} requests more, ${estimates} rows explain them`,
    )
  }
  const { got = 0, made = 0 } = counts[0] ?? {}
  if (got > (made ?? 0)) problems.push(`the service got ${got} requests, the turns made ${made}`)
  return problems
}
