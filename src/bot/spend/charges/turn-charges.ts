import { Prisma } from '../../../database/generated/client.ts'
import { checkChargeAmount } from './amount.ts'
import type { TurnCost } from './turn-cost.ts'

/** What of a turn, in a FROM item called `turn`, says whose charge it is, and for what. */
export const TURN_COLUMNS = {
  user_id: Prisma.sql`turn.user_id`,
  chat_id: Prisma.sql`turn.chat_id`,
  turn_id: Prisma.sql`turn.id`,
  request: Prisma.sql`greatest(turn.requests, 1)`,
  item: Prisma.sql`turn.model`,
  // What was written off was not paid.
  kind: Prisma.sql`(CASE WHEN EXISTS (
    SELECT FROM bot.turn AS other JOIN bot.charge AS paid ON paid.turn_id = other.id
    WHERE other.chat_id = turn.chat_id AND other.prompt_message_id = turn.prompt_message_id
      AND paid.reversal_of IS NULL
      AND NOT EXISTS (SELECT FROM bot.charge AS taken WHERE taken.reversal_of = paid.id)
  ) THEN 'retry' ELSE 'answer' END)::bot.charge_kind`,
} as const

/**
 * What a charge tells of a cost.
 *
 * @throws {RangeError} If no charge can be of this amount.
 */
export function costColumns({ amountMicroRub, estimated, usage }: TurnCost) {
  return {
    amount_micro_rub: Prisma.sql`${checkChargeAmount(amountMicroRub)}::bigint`,
    estimated: Prisma.sql`${estimated}::boolean`,
    prompt_tokens: Prisma.sql`${usage?.promptTokens ?? null}::int`,
    completion_tokens: Prisma.sql`${usage?.completionTokens ?? null}::int`,
  }
}
