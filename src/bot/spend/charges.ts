/**
 * Charges of turns and orders, and the one sum that is kept of them: `spend_day` (docs/spend.md#charges).
 *
 * In: the cost of a request or an order. Out: its charge, its day's sum, and the end of the held amount.
 * Invariant: one statement writes a charge and adds it to its day; a charge that exists adds nothing.
 *
 * The caller locks the turn or order first; `lockSubjects()` names the order of all locks.
 */
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { ChargeKind, TurnKind } from '../../platform/database/generated/enums.ts'
import type { Calendar } from './calendar.ts'
import { checkChargeAmount, type TurnCost } from './costs.ts'

const REQUEST_ID_CHARS_MAX = 200
const REBUILD_MS_MAX = 600_000

export const SUM_COLUMNS = [
  'charges',
  'amount_micro_rub',
  'estimated_micro_rub',
  'written_off_micro_rub',
  'history_micro_rub',
] as const

const NAMES = Prisma.raw(SUM_COLUMNS.join(', '))
const ADD_UP = Prisma.raw(
  SUM_COLUMNS.map((name) => `${name} = spend_day.${name} + excluded.${name}`).join(', '),
)

/** Returns SQL of rows of `spend_day` for charges in a FROM item. */
export function daySums(charges: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT user_id, chat_id, day, kind, item, count(*) FILTER (WHERE reversal_of IS NULL) AS charges,
      sum(amount_micro_rub)::bigint AS amount_micro_rub,
      coalesce(sum(amount_micro_rub) FILTER (WHERE estimated), 0)::bigint AS estimated_micro_rub,
      (sum(written_off_micro_rub) + coalesce(-sum(amount_micro_rub) FILTER (WHERE written_off), 0))::bigint
        AS written_off_micro_rub,
      coalesce(sum(round(history_tokens::numeric * prompt_price_micro_rub / 1000000)), 0)::bigint
        AS history_micro_rub
    FROM ${charges} GROUP BY user_id, chat_id, day, kind, item`
}

function addToDays(charges: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO bot.spend_day (user_id, chat_id, day, kind, item, ${NAMES}) ${daySums(charges)}
    ON CONFLICT (user_id, chat_id, day, kind, item) DO UPDATE SET ${ADD_UP}`
}

type Tx = Prisma.TransactionClient

export interface NewCharge extends TurnCost {
  userId: bigint | number
  chatId: bigint | number
  kind: ChargeKind
  item: string
  turnId?: bigint | null
  request?: number | null
  orderId?: bigint | null
  taskId?: number | null
  /** The charge that this one takes back; its amount is negative. */
  reversalOf?: bigint
  /** True for a reversal whose price the service keeps. */
  writtenOff?: boolean
}

/** @returns False if a charge of this request or order, or this reversal, exists. */
export async function writeCharge(
  tx: Tx,
  charge: NewCharge,
  calendar: Pick<Calendar, 'today'>,
): Promise<boolean> {
  const { usage, history, prices, requestId, writtenOffMicroRub = 0n } = charge
  const written = await tx.$executeRaw`
    WITH charged AS (
      INSERT INTO bot.charge (user_id, chat_id, turn_id, request, order_id, task_id, kind, item,
        prompt_tokens, history_tokens, history_messages, completion_tokens,
        prompt_price_micro_rub, completion_price_micro_rub, amount_micro_rub, estimated,
        written_off_micro_rub, reversal_of, written_off, request_id, day)
      VALUES (${charge.userId}, ${charge.chatId}, ${charge.turnId ?? null}, ${charge.request ?? null},
        ${charge.orderId ?? null}, ${charge.taskId ?? null}, ${charge.kind}::bot.charge_kind, ${charge.item},
        ${usage?.promptTokens ?? null}, ${history?.tokens ?? null}, ${history?.messages ?? null},
        ${usage?.completionTokens ?? null}, ${prices?.promptMicroRubPer1m ?? null},
        ${prices?.completionMicroRubPer1m ?? null}, ${charge.amountMicroRub}, ${charge.estimated},
        ${checkChargeAmount(writtenOffMicroRub)}, ${charge.reversalOf ?? null},
        ${charge.writtenOff ?? false}, ${toStoredId(requestId)}, ${calendar.today()})
      ON CONFLICT DO NOTHING RETURNING *
    )
    ${addToDays(Prisma.sql`charged`)}`
  return written === 1
}

/** PostgreSQL's texts cannot hold a zero character, and an id is a short text. */
function toStoredId(id = ''): string | null {
  return id.replaceAll('\0', '').slice(0, REQUEST_ID_CHARS_MAX) || null
}

export interface ChargedTurn {
  id: bigint
  userId: bigint
  chatId: bigint | number
  kind: TurnKind
  model: string
  promptMessageId: number
  attempt: number
  requests: number
}

/** @returns False if it was charged before. @throws {RangeError} If no charge can be of this cost. */
export async function chargeTurn(
  tx: Tx,
  turn: ChargedTurn,
  cost: TurnCost,
  calendar: Calendar,
): Promise<boolean> {
  checkChargeAmount(cost.amountMicroRub)
  const { id: turnId, userId, chatId, model: item } = turn
  const request = Math.max(turn.requests, 1)
  const kind = await chargeKindOf(tx, turn)
  return writeCharge(tx, { ...cost, userId, chatId, turnId, request, kind, item }, calendar)
}

async function chargeKindOf(tx: Tx, turn: ChargedTurn): Promise<ChargeKind> {
  const { kind, chatId, promptMessageId, attempt, requests } = turn
  if (kind === 'summary') return 'summary'
  if (attempt === 1 && requests <= 1) return 'answer'
  const isPaid = { OR: [{ amountMicroRub: { gt: 0 } }, { writtenOffMicroRub: 0 }] }
  const where = { turn: { chatId, promptMessageId }, reversalOfId: null, reversal: null, ...isPaid }
  const paid = await tx.charge.findFirst({ where, select: { id: true } })
  return paid === null ? 'answer' : 'retry'
}

/** Returns the cost of a request that a crash hid and its user never saw: it is written off. */
export function hiddenCost(keptMicroRub: bigint): TurnCost {
  return { amountMicroRub: 0n, estimated: true, writtenOffMicroRub: keptMicroRub }
}

/** Call it in the transaction that learns the task. Safe to repeat. @throws {RangeError} For an impossible amount. */
export async function recordOrderCharge(
  tx: Tx,
  { orderId, amountMicroRub, estimated }: OrderCharge,
  calendar: Calendar,
): Promise<void> {
  const order = await tx.order.update({
    where: { id: orderId },
    data: { heldMicroRub: null },
    select: { userId: true, chatId: true, kind: true, label: true, taskId: true },
  })
  checkChargeAmount(amountMicroRub)
  const { label: item, ...facts } = order
  await writeCharge(tx, { ...facts, item, orderId, amountMicroRub, estimated }, calendar)
}

export interface OrderCharge {
  orderId: bigint
  /** ≥ 0. */
  amountMicroRub: bigint
  /** True if the price was not reported, or it is unknown whether the service accepted the order. */
  estimated: boolean
}

/**
 * Call it in the transaction that ends the order. Safe to repeat.
 * @param how `reversal` if the service refunded the price, `write_off` if it keeps it.
 */
export async function takeBackOrderCharge(
  tx: Tx,
  orderId: bigint,
  how: 'reversal' | 'write_off',
  calendar: Calendar,
): Promise<void> {
  const charge = await tx.charge.findFirst({ where: { orderId, reversalOfId: null } })
  if (charge === null) return
  const { id: reversalOf, userId, chatId, kind, item, estimated, taskId } = charge
  const amountMicroRub = -charge.amountMicroRub
  const writtenOff = how === 'write_off'
  const facts = { userId, chatId, orderId, kind, item, estimated, taskId }
  await writeCharge(tx, { ...facts, amountMicroRub, reversalOf, writtenOff }, calendar)
}

/** @param summaries The ids of summaries that change with the turns that they sum up. */
export async function lockCharged(
  tx: Tx,
  id: number,
  { summaries = [] }: { summaries?: readonly bigint[] } = {},
): Promise<void> {
  const isTheirs = Prisma.sql`(user_id = ${id} OR chat_id = ${id})`
  await tx.$executeRaw`
    SELECT FROM bot.turn
    WHERE ${isTheirs} OR id = ANY(${summaries}::bigint[]) OR summary_id = ANY(${summaries}::bigint[])
    ORDER BY id FOR UPDATE`
  await tx.$executeRaw`SELECT FROM bot."order" WHERE ${isTheirs} ORDER BY id FOR UPDATE`
}

/** Moves the charges of a group to the supergroup that it became, and makes the sums of both again. */
export async function moveCharges(
  tx: Tx,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await lockCharges(tx)
  // The group is a user as well if its admins ask in its name.
  await tx.charge.updateMany({ where: { userId: from }, data: { userId: to } })
  await tx.charge.updateMany({ where: { chatId: from }, data: { chatId: to } })
  const ids = [from, to]
  await tx.spendDay.deleteMany({
    where: { OR: [{ userId: { in: ids } }, { chatId: { in: ids } }] },
  })
  await tx.$executeRaw`${addToDays(Prisma.sql`(
    SELECT * FROM bot.charge WHERE user_id = ${to} OR chat_id = ${to}) AS moved`)}`
}

/** New charges wait while it runs. Safe to repeat. @returns How many users have charges. */
export function rebuildSums(prisma: PrismaClient): Promise<number> {
  return prisma.$transaction(
    async (tx) => {
      await lockCharges(tx)
      await tx.spendDay.deleteMany()
      await tx.$executeRaw`${addToDays(Prisma.sql`bot.charge`)}`
      const users = await tx.spendDay.groupBy({ by: ['userId'] })
      return users.length
    },
    { timeout: REBUILD_MS_MAX },
  )
}

/** Writers of charges wait: their sums would be added twice, or be missing. */
async function lockCharges(tx: Tx): Promise<void> {
  await tx.$executeRaw`LOCK TABLE bot.charge IN SHARE ROW EXCLUSIVE MODE`
}
