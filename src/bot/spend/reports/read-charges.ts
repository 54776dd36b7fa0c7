import type { ChargeKind, PrismaClient } from '../../../platform/database/generated/client.ts'
import type { DateRange } from './span.ts'
import { matches, type SpendFilter } from './spend.ts'

const BATCH_SIZE = 2_000

const BEGINNING = '0001-01-01'

/** A charge with the names of its user, as it was written. */
export interface ChargeRow {
  id: bigint
  createdAt: Date
  day: string
  userId: bigint
  firstName: string
  username: string | null
  chatId: bigint
  kind: ChargeKind
  item: string
  promptTokens: number | null
  historyTokens: number | null
  completionTokens: number | null
  promptPriceMicroRub: bigint | null
  completionPriceMicroRub: bigint | null
  amountMicroRub: bigint
  estimated: boolean
  writtenOffMicroRub: bigint
  writtenOff: boolean
  reversalOfId: bigint | null
  turnId: bigint | null
  request: number | null
  orderId: bigint | null
  requestId: string | null
  taskId: number | null
}

/** The charge after which reading goes on. */
export type ChargePosition = Pick<ChargeRow, 'day' | 'id'>

/** Reads the charges of a range in the order of their days, a batch at a time: each is a short statement of its own. */
export async function* readCharges(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  {
    range: { from = BEGINNING, to },
    filter,
    after = { day: from, id: 0n },
  }: { range: DateRange; filter: SpendFilter; after?: ChargePosition | undefined },
): AsyncGenerator<ChargeRow[], void> {
  let position: ChargePosition = after
  for (;;) {
    const { day, id } = position
    const batch = await prisma.$queryRaw<ChargeRow[]>`
      SELECT charge.id, charge.created_at AS "createdAt", day::text, user_id AS "userId",
        first_name AS "firstName", username, chat_id AS "chatId", kind, item,
        prompt_tokens AS "promptTokens", history_tokens AS "historyTokens",
        completion_tokens AS "completionTokens",
        prompt_price_micro_rub AS "promptPriceMicroRub",
        completion_price_micro_rub AS "completionPriceMicroRub",
        amount_micro_rub AS "amountMicroRub", estimated,
        written_off_micro_rub AS "writtenOffMicroRub", written_off AS "writtenOff",
        reversal_of AS "reversalOfId", turn_id AS "turnId", request, order_id AS "orderId",
        request_id AS "requestId", task_id AS "taskId"
      FROM (
        SELECT * FROM bot.charge
        WHERE (charge.day, charge.id) > (${day}::date, ${id}) AND charge.day <= ${to}::date
          AND ${matches(filter)}
        ORDER BY charge.day, charge.id LIMIT ${BATCH_SIZE}
      ) AS charge
      JOIN bot."user" ON "user".id = user_id
      ORDER BY charge.day, charge.id`
    if (batch.length > 0) yield batch
    const last = batch.at(-1)
    if (last === undefined || batch.length < BATCH_SIZE) return
    position = last
  }
}
