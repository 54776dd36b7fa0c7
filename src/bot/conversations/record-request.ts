import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { Calendar } from '../spend/calendar.ts'
import { type ChargedTurn, chargeTurn, hiddenCost } from '../spend/charges.ts'
import { checkChargeAmount, type TurnCost } from '../spend/costs.ts'
import { ALL_GROUPS, ALL_USERS, EVERYBODY, type Granted, type Limits } from '../spend/limits.ts'
import { toThreadKey } from '../telegram/joined.ts'
import { OPEN_STATES, type Turn } from './turn.ts'

/** So many of the prompts before it may yet be answered below a message. */
const PROMPTS_MAX = 10

export interface RequestDeps {
  prisma: Pick<PrismaClient, '$transaction' | '$executeRaw'>
  calendar: Calendar
  limits: Pick<Limits, 'reserve'>
}

/** A turn that asks the service, or waits to. */
export interface AskingTurn {
  id: bigint
  leaseOwner: number
  estimate: TurnCost
  leastMicroRub?: bigint | undefined
}

/**
 * Records that a turn asks the service, and holds what that may cost, or what limits leave of it.
 *
 * Invariant: of requests of a turn whose end is not known, each but the last is written off before the next request is
 * recorded. The end of a request is not known if the process that made it ended, or lost the turn's lease.
 *
 * @returns Undefined if the turn is not to be asked, or not this process's to ask any more.
 * @throws {LimitReachedError} If a limit leaves no room for it.
 */
export async function recordRequest(
  deps: RequestDeps,
  asking: AskingTurn,
): Promise<Granted | undefined> {
  checkChargeAmount(asking.estimate.amountMicroRub)
  if (await recordUnlimited(deps.prisma, asking)) {
    return { amountMicroRub: asking.estimate.amountMicroRub }
  }
  const { id } = asking
  return deps.prisma.$transaction(async (tx) => {
    const turn = await lockAsking(tx, asking)
    if (turn === undefined || turn.stopRequestedAt !== null) return undefined
    const { requestMicroRub } = turn
    if (requestMicroRub !== null) {
      await chargeTurn(tx, turn, hiddenCost(requestMicroRub), deps.calendar)
    }
    const granted = await reserve(tx, deps.limits, turn, asking)
    const { amountMicroRub } = granted
    await tx.$executeRaw`
      UPDATE bot.turn SET state = 'streaming', asked_at = now(), requests = requests + 1,
        request_micro_rub = ${amountMicroRub}, held_micro_rub = ${amountMicroRub}
      WHERE id = ${id}`
    return granted
  })
}

/** Records a first request if no limit may hold for it, by one statement: every answer waits for it. */
async function recordUnlimited(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  { id, leaseOwner, estimate: { amountMicroRub } }: AskingTurn,
): Promise<boolean> {
  const recorded = await prisma.$executeRaw`
    UPDATE bot.turn SET state = 'streaming', asked_at = now(), requests = requests + 1,
      request_micro_rub = ${amountMicroRub}, held_micro_rub = ${amountMicroRub}
    WHERE id = ${id} AND state IN ('waiting', 'streaming') AND lease_owner = ${leaseOwner}
      AND stop_requested_at IS NULL AND request_micro_rub IS NULL
      AND NOT EXISTS (
        SELECT FROM bot.spend_limit WHERE amount_micro_rub IS NOT NULL
          AND subject_id IN (${EVERYBODY}, ${ALL_USERS}, ${ALL_GROUPS}, user_id, chat_id))`
  return recorded === 1
}

/**
 * Holds the cost of a turn while it waits for the service, if it is still this process's to ask.
 *
 * @throws {LimitReachedError} If a limit leaves no room for it.
 */
export async function holdWaiting(deps: RequestDeps, asking: AskingTurn): Promise<void> {
  await deps.prisma.$transaction(async (tx) => {
    const turn = await lockAsking(tx, asking)
    if (turn === undefined) return
    const { amountMicroRub: heldMicroRub } = await reserve(tx, deps.limits, turn, asking)
    await tx.turn.updateMany({ where: { id: asking.id }, data: { heldMicroRub } })
  })
}

type AskingRow = ChargedTurn & Pick<Turn, 'requestMicroRub' | 'stopRequestedAt'>

async function lockAsking(
  tx: Prisma.TransactionClient,
  { id, leaseOwner }: AskingTurn,
): Promise<AskingRow | undefined> {
  const [turn] = await tx.$queryRaw<AskingRow[]>`
    SELECT id, user_id AS "userId", chat_id AS "chatId", kind, model, attempt, requests,
      prompt_message_id AS "promptMessageId", request_micro_rub AS "requestMicroRub",
      stop_requested_at AS "stopRequestedAt"
    FROM bot.turn WHERE id = ${id} AND state IN ('waiting', 'streaming') AND lease_owner = ${leaseOwner}
    FOR NO KEY UPDATE`
  return turn
}

function reserve(
  tx: Prisma.TransactionClient,
  limits: Pick<Limits, 'reserve'>,
  { userId, chatId }: AskingRow,
  { id: turnId, estimate: { amountMicroRub }, leastMicroRub }: AskingTurn,
): Promise<Granted> {
  const except = { turnId }
  return limits.reserve(tx, { userId, chatId, amountMicroRub, leastMicroRub, except })
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
  tx: Prisma.TransactionClient,
  userId: number,
  calendar: Calendar,
): Promise<void> {
  const open = { state: { in: [...OPEN_STATES] }, requestMicroRub: { not: null } }
  const lost = await tx.turn.findMany({ where: { userId, ...open }, orderBy: { id: 'asc' } })
  for (const turn of lost) {
    await chargeTurn(tx, turn, hiddenCost(turn.requestMicroRub ?? 0n), calendar)
  }
}
