import { type ChargeKind, Prisma } from '../../../platform/database/generated/client.ts'

/** The sums of charges. `amountMicroRub` is the sum; the estimates and the history are parts of it. */
export interface Spend {
  /** How many, without those that take one back. */
  charges: number
  amountMicroRub: bigint
  estimatedMicroRub: bigint
  /** The sum that the service keeps and no user pays; the amount is without it. */
  writtenOffMicroRub: bigint
  historyMicroRub: bigint
}

export const NO_SPEND: Spend = {
  charges: 0,
  amountMicroRub: 0n,
  estimatedMicroRub: 0n,
  writtenOffMicroRub: 0n,
  historyMicroRub: 0n,
}

export function addSpend(one: Spend, other: Spend): Spend {
  return {
    charges: one.charges + other.charges,
    amountMicroRub: one.amountMicroRub + other.amountMicroRub,
    estimatedMicroRub: one.estimatedMicroRub + other.estimatedMicroRub,
    writtenOffMicroRub: one.writtenOffMicroRub + other.writtenOffMicroRub,
    historyMicroRub: one.historyMicroRub + other.historyMicroRub,
  }
}

/** Subtracts one of its parts from a sum. */
export function takeSpend(whole: Spend, part: Spend): Spend {
  return {
    charges: whole.charges - part.charges,
    amountMicroRub: whole.amountMicroRub - part.amountMicroRub,
    estimatedMicroRub: whole.estimatedMicroRub - part.estimatedMicroRub,
    writtenOffMicroRub: whole.writtenOffMicroRub - part.writtenOffMicroRub,
    historyMicroRub: whole.historyMicroRub - part.historyMicroRub,
  }
}

/** The filter of a report by user, chat, kind and item: what is left out does not narrow it. */
export interface SpendFilter {
  userId?: bigint | number | undefined
  /** A private chat has its user's id, those of groups are below zero. */
  chatId?: bigint | number | undefined
  kind?: ChargeKind | undefined
  item?: string | undefined
}

/** SQL of a condition on the rows of `charge`, `spend_day` or `spend_total`. */
export function matches({ userId, chatId, kind, item }: SpendFilter): Prisma.Sql {
  const conditions = [
    Prisma.sql`true`,
    ...(userId === undefined ? [] : [Prisma.sql`user_id = ${userId}`]),
    ...(chatId === undefined ? [] : [Prisma.sql`chat_id = ${chatId}`]),
    ...(kind === undefined ? [] : [Prisma.sql`kind = ${kind}::bot.charge_kind`]),
    ...(item === undefined ? [] : [Prisma.sql`item = ${item}`]),
  ]
  return Prisma.join(conditions, ' AND ')
}

/** SQL of the columns of a `Spend`, over rows of `spend_day` or `spend_total`. */
export const SPEND_COLUMNS = Prisma.sql`
  sum(charges)::int AS charges,
  sum(amount_micro_rub)::bigint AS "amountMicroRub",
  sum(estimated_micro_rub)::bigint AS "estimatedMicroRub",
  sum(written_off_micro_rub)::bigint AS "writtenOffMicroRub",
  sum(history_micro_rub)::bigint AS "historyMicroRub"`
