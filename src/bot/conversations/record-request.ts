import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import { isEndedSql } from '../../platform/database/instance/instance-row.ts'
import type { Calendar } from '../spend/calendar.ts'
import { checkChargeAmount } from '../spend/charges/amount.ts'
import { recordCharges } from '../spend/charges/record-charges.ts'
import { hiddenColumns, TURN_COLUMNS } from '../spend/charges/turn-charges.ts'
import type { TurnCost } from '../spend/charges/turn-cost.ts'
import { LimitReachedError } from '../spend/limits/limit-refusal.ts'
import type { Reserve, Reserved } from '../spend/limits/reserve.ts'
import { toThreadKey } from '../telegram/joined.ts'
import type { Turn } from './turn.ts'

/** So many of the prompts before it may yet be answered below a message. */
const PROMPTS_MAX = 10

export interface RequestDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw' | '$transaction'>
  calendar: Calendar
  reserve: Reserve
}

/** A turn that asks the service, or waits to. */
export interface AskingTurn {
  id: bigint
  leaseOwner: number
  estimate: TurnCost
  leastMicroRub?: bigint | undefined
}

/** What a turn may cost, as it is reserved for it. */
export type Granted = Pick<Reserved, 'amountMicroRub' | 'boundBy'>

/**
 * Records that a turn asks the service, and reserves what that may cost, or what limits leave of it.
 *
 * Invariant: both are one statement. Of requests of a turn whose end is not known, each but the last has a row:
 * its estimate, written off, before the next request is recorded. The end of a request is not known if
 * the process that made it ended, or lost the turn's lease.
 *
 * @returns Undefined if the turn is not to be asked, or not this process's to ask any more.
 * @throws {LimitReachedError} If a limit leaves no room for it.
 */
export async function recordRequest(
  deps: RequestDeps,
  asking: AskingTurn,
): Promise<Granted | undefined> {
  checkChargeAmount(asking.estimate.amountMicroRub)
  const asked = Prisma.sql`asked AS (
    UPDATE bot.turn SET state = 'streaming', asked_at = now(), requests = requests + 1,
      request_micro_rub = granted.amount_micro_rub, held_micro_rub = granted.amount_micro_rub
    FROM granted WHERE turn.id = ${asking.id}
  )`
  const knowsAll = Prisma.sql`AND request_micro_rub IS NULL AND stop_requested_at IS NULL`
  const granted = await reserveFor(deps, asking, { onlyIf: knowsAll, onGranted: asked })
  if (granted !== undefined) return granted
  // Few turns have a hidden request, so that none is looked for before.
  if (!(await writeOffHidden(deps, asking))) return undefined
  return reserveFor(deps, asking, { onlyIf: knowsAll, onGranted: asked })
}

/**
 * Reserves the cost of a turn.
 *
 * @returns Undefined if the turn is not this process's to ask any more.
 * @throws {LimitReachedError} If a limit leaves no room for it.
 */
export async function reserveFor(
  { prisma, reserve }: RequestDeps,
  { id, leaseOwner, estimate, leastMicroRub }: AskingTurn,
  { onlyIf = Prisma.empty, onGranted }: { onlyIf?: Prisma.Sql; onGranted?: Prisma.Sql } = {},
): Promise<Granted | undefined> {
  const asker = Prisma.sql`
    SELECT user_id, chat_id FROM bot.turn
    WHERE id = ${id} AND state IN ('waiting', 'streaming') AND lease_owner = ${leaseOwner} ${onlyIf}
    FOR NO KEY UPDATE`
  const { amountMicroRub } = estimate
  const held = Prisma.sql`holding AS (
    UPDATE bot.turn SET held_micro_rub = granted.amount_micro_rub FROM granted WHERE turn.id = ${id}
  )`
  const outcome = await reserve(prisma, {
    kind: 'turn',
    id,
    amountMicroRub,
    leastMicroRub,
    asker,
    onGranted: onGranted ?? held,
  })
  if (outcome.status === 'refused') throw new LimitReachedError(outcome.refusal)
  return outcome.status === 'reserved' ? outcome : undefined
}

async function writeOffHidden(
  { prisma, calendar }: RequestDeps,
  { id, leaseOwner }: AskingTurn,
): Promise<boolean> {
  const hidden = recordCharges({
    columns: {
      ...TURN_COLUMNS,
      ...hiddenColumns(Prisma.sql`turn.hidden_micro_rub`),
    },
    from: Prisma.sql`FROM known AS turn`,
    calendar,
  })
  const known = await prisma.$executeRaw`
    WITH before AS (
      SELECT id, request_micro_rub AS hidden_micro_rub FROM bot.turn
      WHERE id = ${id} AND state IN ('waiting', 'streaming') AND lease_owner = ${leaseOwner}
        AND request_micro_rub IS NOT NULL
      FOR NO KEY UPDATE
    ), known AS (
      UPDATE bot.turn SET request_micro_rub = NULL FROM before WHERE turn.id = before.id
      RETURNING turn.*, hidden_micro_rub
    ), ${hidden}
    SELECT FROM known`
  return known === 1
}

type SendingTurn = Pick<Turn, 'id' | 'chatId' | 'threadId' | 'promptMessageId' | 'createdAt'>

/**
 * Records that a message of a reply is about to be sent: if the process dies now, the chat may have it.
 *
 * The message waits for this. So the statement also returns what decides how it is sent.
 *
 * @returns Whether the message would be separated from its question; undefined if another process answers the turn.
 */
export async function recordSending(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turn: SendingTurn,
  leaseOwner: number,
): Promise<boolean | undefined> {
  const [recorded] = await prisma.$queryRaw<{ isSeparated: boolean }[]>`
    UPDATE bot.turn SET sending_since = now() WHERE id = ${turn.id} AND lease_owner = ${leaseOwner}
    RETURNING ${isSeparatedSql(turn)} AS "isSeparated"`
  return recorded?.isSeparated
}

/**
 * SQL that is true if another message is below the question of a turn, so that an answer sent now would not be next to
 * it: a message or command that came since, or a later message of another answer.
 */
function isSeparatedSql({ chatId, threadId, promptMessageId, createdAt }: SendingTurn) {
  return Prisma.sql`(
    EXISTS (
      SELECT FROM bot.update
      WHERE thread_key = ${toThreadKey({ chatId, threadId })}
        AND received_at > ${createdAt}::timestamptz - interval '1 hour'
        AND (payload #>> '{message,message_id}')::int > ${promptMessageId}
    ) OR EXISTS (
      SELECT FROM (
        SELECT message_ids FROM bot.turn
        WHERE chat_id = ${chatId} AND thread_id = ${threadId}
          AND prompt_message_id < ${promptMessageId}
        ORDER BY prompt_message_id DESC LIMIT ${PROMPTS_MAX}
      ) AS before
      WHERE ${promptMessageId} < ANY (message_ids)
    ))`
}

/**
 * Writes off what the service may charge for turns that are erased while they are answered: no process can end
 * them any more. In the transaction that erases them, before they go.
 */
export async function writeOffRequests(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  userId: number,
  calendar: Calendar,
): Promise<void> {
  const lost = recordCharges({
    columns: { ...TURN_COLUMNS, ...hiddenColumns(Prisma.sql`turn.request_micro_rub`) },
    from: Prisma.sql`FROM lost AS turn`,
    calendar,
  })
  await tx.$executeRaw`
    WITH lost AS MATERIALIZED (
      SELECT * FROM bot.turn
      WHERE user_id = ${userId} AND state IN ('waiting', 'streaming')
        AND request_micro_rub IS NOT NULL
      ORDER BY id FOR UPDATE
    ), ${lost}
    SELECT FROM lost`
}

/**
 * Writes off what the service may charge for stopped answers whose turns were erased, and whose process ended before
 * it knew their cost; their reservations end. Safe to repeat; several processes may do it at once.
 */
export async function writeOffErased(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  calendar: Calendar,
): Promise<void> {
  const lost = recordCharges({
    columns: {
      user_id: Prisma.sql`lost.user_id`,
      chat_id: Prisma.sql`lost.chat_id`,
      request: Prisma.sql`1`,
      kind: Prisma.sql`'answer'::bot.charge_kind`,
      item: Prisma.sql`lost.item`,
      ...hiddenColumns(Prisma.sql`lost.amount_micro_rub`),
    },
    from: Prisma.sql`FROM lost`,
    over: Prisma.sql`SELECT kind, id FROM lost`,
    calendar,
  })
  await prisma.$executeRaw`
    WITH lost AS MATERIALIZED (
      SELECT * FROM bot.reservation
      WHERE ${Prisma.raw(isEndedSql('lease_owner'))}
        AND NOT EXISTS (SELECT FROM bot.turn WHERE turn.id = reservation.id)
      ORDER BY id FOR UPDATE
    ), ${lost}
    SELECT FROM lost`
}
