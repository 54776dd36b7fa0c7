import { Prisma } from '../../../platform/database/generated/client.ts'
import { checkChargeAmount } from './amount.ts'
import type { TurnCost } from './turn-cost.ts'

const ID_CHARS_MAX = 200

const IS_PAID = Prisma.sql`(
  paid.reversal_of IS NULL AND (paid.amount_micro_rub > 0 OR paid.written_off_micro_rub = 0)
  AND NOT EXISTS (SELECT FROM bot.charge AS taken WHERE taken.reversal_of = paid.id)
)`

/** The columns of a turn, in a FROM item called `turn`, that give the charge its user and its item. */
export const TURN_COLUMNS = {
  user_id: Prisma.sql`turn.user_id`,
  chat_id: Prisma.sql`turn.chat_id`,
  turn_id: Prisma.sql`turn.id`,
  request: Prisma.sql`greatest(turn.requests, 1)`,
  item: Prisma.sql`turn.model`,
  kind: Prisma.sql`(CASE WHEN turn.kind = 'summary' THEN 'summary' WHEN EXISTS (
    SELECT FROM bot.turn AS other JOIN bot.charge AS paid ON paid.turn_id = other.id
    WHERE other.chat_id = turn.chat_id AND other.prompt_message_id = turn.prompt_message_id
      AND ${IS_PAID}
  ) THEN 'retry' ELSE 'answer' END)::bot.charge_kind`,
} as const

/** The facts of a request of which its user saw nothing, and whose end a crash hid: it is written off. */
export function hiddenColumns(keptMicroRub: Prisma.Sql) {
  return {
    amount_micro_rub: Prisma.sql`0::bigint`,
    estimated: Prisma.sql`true`,
    written_off_micro_rub: keptMicroRub,
  } as const
}

/**
 * The facts of a cost that its charge keeps.
 *
 * @throws {RangeError} If no charge can be of this amount.
 */
export function costColumns(cost: TurnCost) {
  const { amountMicroRub, estimated, writtenOffMicroRub = 0n } = cost
  const { usage, history, prices, requestId } = cost
  return {
    amount_micro_rub: Prisma.sql`${checkChargeAmount(amountMicroRub)}::bigint`,
    estimated: Prisma.sql`${estimated}::boolean`,
    written_off_micro_rub: Prisma.sql`${checkChargeAmount(writtenOffMicroRub)}::bigint`,
    prompt_tokens: Prisma.sql`${usage?.promptTokens ?? null}::int`,
    history_tokens: Prisma.sql`${history?.tokens ?? null}::int`,
    history_messages: Prisma.sql`${history?.messages ?? null}::int`,
    completion_tokens: Prisma.sql`${usage?.completionTokens ?? null}::int`,
    prompt_price_micro_rub: Prisma.sql`${prices?.promptMicroRubPer1m ?? null}::bigint`,
    completion_price_micro_rub: Prisma.sql`${prices?.completionMicroRubPer1m ?? null}::bigint`,
    request_id: Prisma.sql`${toStoredId(requestId)}::text`,
  }
}

/** PostgreSQL's texts cannot hold a zero character, and an id is a short one. */
function toStoredId(id = ''): string | null {
  return id.replaceAll('\0', '').slice(0, ID_CHARS_MAX) || null
}
