import type { Pool } from 'pg'

interface Turn {
  id: string
  requests: number
  amount: string | null
  estimated: boolean | null
}

const TURNS = `
  SELECT turn.id, turn.requests, charge.amount_micro_rub AS amount, charge.estimated
  FROM bot.turn LEFT JOIN bot.charge ON charge.turn_id = turn.id ORDER BY turn.id`
/** What the service kept of each request: its cost, or all of the hold. */
const PRICES = `
  SELECT coalesce(cost_micro_rub, amount_micro_rub) AS price
  FROM service.hold WHERE state <> 'released'`
const HOLDS = 'SELECT count(*)::int FROM service.hold'

/**
 * Compares what users were charged with what the service charged the bot.
 *
 * A turn that asked once and was told its cost was charged just that. All else that the service charged
 * is explained by turns that asked more than once, or whose cost is an estimate: one price a request at most.
 *
 * @returns What is not explained, in sentences.
 */
export async function checkCharges(pool: Pool): Promise<string[]> {
  const { rows: turns } = await pool.query<Turn>(TURNS)
  const { rows: prices } = await pool.query<{ price: string }>(PRICES)
  const { rows: holds } = await pool.query<{ count: number }>(HOLDS)
  const problems: string[] = []
  const left = prices.map(({ price }) => price)
  const isExact = ({ amount, estimated }: Turn) => amount !== null && estimated === false
  for (const turn of turns.filter(isExact)) {
    const at = left.indexOf(turn.amount ?? '')
    if (at < 0) problems.push(`turn ${turn.id} was charged ${turn.amount}, the service was not`)
    else left.splice(at, 1)
  }
  const spare = sum(turns.map((turn) => turn.requests - (isExact(turn) ? 1 : 0)))
  if (left.length > spare) {
    problems.push(`the service charged ${left.length} requests more, the turns explain ${spare}`)
  }
  const requests = sum(turns.map((turn) => turn.requests))
  const got = holds[0]?.count ?? 0
  if (got > requests) problems.push(`the service got ${got} requests, the turns made ${requests}`)
  return problems
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
