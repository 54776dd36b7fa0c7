import type { Pool } from 'pg'
import { findTag } from './tags.ts'

/** A charge of the bot, with what was taken back of it. */
export interface ChargeRow {
  id: number
  userId: number
  chatId: number
  turnId: number | null
  orderId: number | null
  tag: string | undefined
  amountMicroRub: bigint
  estimated: boolean
  requestId: string | null
  taskId: number | null
  askedMicroRub: bigint | undefined
  state: string | null
  errorCode: string | null
  begunAt: Date
  writtenOffMicroRub: bigint
  takenBack: 'no' | 'reversed' | 'written off'
  createdAt: Date
}

const CHARGES = `
  SELECT charge.id::int, charge.user_id::float8 AS "userId", charge.chat_id::float8 AS "chatId",
    charge.turn_id::int AS "turnId", charge.order_id::int AS "orderId",
    coalesce("order".params ->> 'prompt', (
      SELECT content FROM bot.message WHERE turn_id = charge.turn_id AND role = 'user'
    )) AS text,
    turn.state::text, turn.error_code AS "errorCode",
    coalesce(turn.created_at, "order".created_at) AS "begunAt", turn.request_micro_rub AS asked,
    charge.amount_micro_rub AS amount,
    charge.written_off_micro_rub AS "writtenOff", charge.estimated, charge.request_id AS "requestId",
    charge.task_id AS "taskId", charge.created_at AS "createdAt",
    CASE WHEN back.written_off OR charge.amount_micro_rub = 0 AND charge.written_off_micro_rub > 0
      THEN 'written off' WHEN back.id IS NULL THEN 'no' ELSE 'reversed' END AS "takenBack"
  FROM bot.charge LEFT JOIN bot.charge AS back ON back.reversal_of = charge.id
    LEFT JOIN bot.turn ON turn.id = charge.turn_id
    LEFT JOIN bot."order" ON "order".id = charge.order_id
  WHERE charge.reversal_of IS NULL ORDER BY charge.id`

/** Every charge, oldest first; what takes one back is listed with it. */
export async function readCharges(pool: Pool): Promise<ChargeRow[]> {
  const { rows } = await pool.query<
    ChargeRow & { text: string | null; amount: string; writtenOff: string; asked: string | null }
  >(CHARGES)
  return rows.map(({ text, amount, writtenOff, asked, ...charge }) => ({
    ...charge,
    tag: findTag(text ?? ''),
    amountMicroRub: BigInt(amount),
    writtenOffMicroRub: BigInt(writtenOff),
    askedMicroRub: asked === null ? undefined : BigInt(asked),
  }))
}
