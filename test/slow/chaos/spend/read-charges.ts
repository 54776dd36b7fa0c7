import type { Pool } from 'pg'
import { findTag } from './tags.ts'

/** A charge of the bot, with what was taken back of it. */
export interface ChargeRow {
  id: number
  userId: number
  chatId: number
  orderId: number | null
  tag: string | undefined
  amountMicroRub: bigint
  estimated: boolean
  taskId: number | null
  takenBack: 'no' | 'reversed' | 'written off'
}

const CHARGES = `
  SELECT charge.id::int, charge.user_id::float8 AS "userId", charge.chat_id::float8 AS "chatId",
    charge.order_id::int AS "orderId", charge.task_id AS "taskId", charge.estimated,
    coalesce("order".params ->> 'prompt', (
      SELECT content FROM bot.message WHERE turn_id = charge.turn_id AND role = 'user'
    )) AS text,
    charge.amount_micro_rub AS amount,
    CASE WHEN back.written_off OR charge.amount_micro_rub = 0 AND charge.written_off_micro_rub > 0
      THEN 'written off' WHEN back.id IS NULL THEN 'no' ELSE 'reversed' END AS "takenBack"
  FROM bot.charge LEFT JOIN bot.charge AS back ON back.reversal_of = charge.id
    LEFT JOIN bot."order" ON "order".id = charge.order_id
  WHERE charge.reversal_of IS NULL ORDER BY charge.id`

/** Every charge, oldest first; what takes one back is listed with it. */
export async function readCharges(pool: Pool): Promise<ChargeRow[]> {
  const { rows } = await pool.query<ChargeRow & { text: string | null; amount: string }>(CHARGES)
  return rows.map(({ text, amount, ...charge }) => ({
    ...charge,
    tag: findTag(text ?? ''),
    amountMicroRub: BigInt(amount),
  }))
}
