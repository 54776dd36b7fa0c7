import type { Pool } from 'pg'
import { findTag, type SentMessage } from './spend-users.ts'

interface TurnCharge {
  id: string
  userId: number
  chatId: number
  text: string | null
  amount: string
  writtenOff: string
  estimated: boolean
  isTakenBack: boolean
  requestId: string | null
}

const CHARGES = `
  SELECT charge.id, charge.user_id::float8 AS "userId", charge.chat_id::float8 AS "chatId",
    (SELECT content FROM bot.message WHERE turn_id = charge.turn_id AND role = 'user') AS text,
    charge.amount_micro_rub AS amount, charge.written_off_micro_rub AS "writtenOff",
    charge.estimated, back.id IS NOT NULL AS "isTakenBack", charge.request_id AS "requestId"
  FROM bot.charge LEFT JOIN bot.charge AS back ON back.reversal_of = charge.id
  WHERE charge.reversal_of IS NULL AND charge.turn_id IS NOT NULL ORDER BY charge.id`

const REQUESTS = `
  SELECT id::text, coalesce(cost_micro_rub, held_micro_rub) AS price FROM service.request`

const MADE = 'SELECT coalesce(sum(requests), 0)::int AS made FROM bot.turn'

/**
 * Compares the charges of turns with what the service charged the bot. Each charge is of the user who asked, where
 * they asked. A cost that was reported is the one of its request. Each other request that the service charged has a
 * row that is an estimate, which may be written off because a crash hid the request's end.
 */
export async function checkTurnCharges(pool: Pool, sent: readonly SentMessage[]) {
  const { rows: charges } = await pool.query<TurnCharge>(CHARGES)
  const { rows: requests } = await pool.query<{ id: string; price: string }>(REQUESTS)
  const { rows: counts } = await pool.query<{ made: number }>(MADE)
  const prices = new Map(requests.map(({ id, price }) => [id, price]))
  const senders = new Map(sent.map((one) => [one.tag, one]))
  const problems: string[] = []
  const left = new Map(prices)
  const estimates = charges.filter(({ estimated }) => estimated)
  for (const { id, userId, chatId, text, ...charge } of charges) {
    const { amount, writtenOff, estimated, isTakenBack, requestId } = charge
    const sender = senders.get(findTag(text ?? '') ?? '')
    if (sender?.userId !== userId || sender.chatId !== chatId) {
      problems.push(`charge ${id} is of user ${userId} in chat ${chatId}`)
    }
    if (requestId !== null && !left.delete(requestId)) {
      problems.push(`charge ${id} is of request ${requestId}, which others have or nobody made`)
    }
    if (estimated) continue
    const price = prices.get(requestId ?? '')
    if (price !== amount || writtenOff !== '0' || isTakenBack) {
      problems.push(`charge ${id} of ${amount} is exact, its request ${requestId} cost ${price}`)
    }
  }
  const unnamed = estimates.filter(({ requestId }) => requestId === null).length
  const unexplained = [...left].filter(([, price]) => price !== '0')
  if (unexplained.length > unnamed) {
    problems.push(`${unexplained.length} requests were charged, ${unnamed} rows explain them`)
  }
  // A request that was refused costs nothing, and is made again without being counted.
  const charged = requests.filter(({ price }) => price !== '0').length
  const [{ made } = { made: 0 }] = counts
  if (charged > made) problems.push(`the service charged ${charged} requests, turns made ${made}`)
  return { problems, counts: { all: charges.length, estimated: estimates.length } }
}
