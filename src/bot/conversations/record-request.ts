import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import { type ChargedTurn, chargeTurn, hiddenCost } from '../spend/charges.ts'
import { checkChargeAmount, type TurnCost } from '../spend/costs.ts'
import { ALL_GROUPS, ALL_USERS, EVERYBODY, type Granted } from '../spend/limits.ts'
import { toThreadKey } from '../telegram/joined.ts'
import type { Turn, TurnsApp } from './turn.ts'

/** Number of earlier prompts that may yet be answered below a message. */
const PROMPTS_MAX = 10

export interface AskingTurn {
  id: bigint
  estimate: TurnCost
  leastMicroRub?: bigint | undefined
}

/**
 * Records that a turn asks the service, and holds the amount that it may cost, or the part that limits leave.
 *
 * Invariant: of requests of a turn whose end is not known, each but the last is written off before the next request is
 * recorded. The end of a request is not known if the process that made it ended, or lost the turn's lease.
 *
 * @returns Undefined if the turn is not to be asked, or not this process's to ask any more.
 * @throws {LimitReachedError} If a limit leaves no room for it.
 */
export async function recordRequest(
  app: TurnsApp,
  asking: AskingTurn,
): Promise<Granted | undefined> {
  const { amountMicroRub } = asking.estimate
  checkChargeAmount(amountMicroRub)
  if (await recordUnlimited(app, asking)) return { amountMicroRub }
  const { spend, leaseOwner } = app
  return app.prisma.$transaction(async (tx) => {
    const turn = await lockAsking(tx, asking.id, leaseOwner)
    if (turn === undefined || turn.stopRequestedAt !== null) return undefined
    const { userId, chatId, requestMicroRub } = turn
    if (requestMicroRub !== null) {
      await chargeTurn(tx, turn, hiddenCost(requestMicroRub), spend.calendar)
    }
    const { id: turnId, leastMicroRub } = asking
    const need = { userId, chatId, amountMicroRub, leastMicroRub, except: { turnId } }
    const granted = await spend.limits.reserve(tx, need)
    await tx.$executeRaw`
      UPDATE bot.turn SET ${asked(granted.amountMicroRub)} WHERE id = ${turnId}`
    return granted
  })
}

function asked(amountMicroRub: bigint): Prisma.Sql {
  return Prisma.sql`state = 'streaming', asked_at = now(), requests = requests + 1,
    request_micro_rub = ${amountMicroRub}, held_micro_rub = ${amountMicroRub}`
}

/** Records a first request if no limit may hold for it, by one statement: every answer waits for it. */
async function recordUnlimited(
  { prisma, leaseOwner }: TurnsApp,
  { id, estimate }: AskingTurn,
): Promise<boolean> {
  const recorded = await prisma.$executeRaw`
    UPDATE bot.turn SET ${asked(estimate.amountMicroRub)}
    WHERE id = ${id} AND state IN ('waiting', 'streaming') AND lease_owner = ${leaseOwner}
      AND stop_requested_at IS NULL AND request_micro_rub IS NULL
      AND NOT EXISTS (
        SELECT FROM bot.spend_limit WHERE amount_micro_rub IS NOT NULL
          AND subject_id IN (${EVERYBODY}, ${ALL_USERS}, ${ALL_GROUPS}, user_id, chat_id))`
  return recorded === 1
}

type AskingRow = ChargedTurn & Pick<Turn, 'requestMicroRub' | 'stopRequestedAt'>

async function lockAsking(
  tx: Prisma.TransactionClient,
  id: bigint,
  leaseOwner: number,
): Promise<AskingRow | undefined> {
  const [turn] = await tx.$queryRaw<AskingRow[]>`
    SELECT id, user_id AS "userId", chat_id AS "chatId", kind, model, attempt, requests,
      prompt_message_id AS "promptMessageId", request_micro_rub AS "requestMicroRub",
      stop_requested_at AS "stopRequestedAt"
    FROM bot.turn WHERE id = ${id} AND state IN ('waiting', 'streaming') AND lease_owner = ${leaseOwner}
    FOR NO KEY UPDATE`
  return turn
}

/**
 * Records that a message of a reply is about to be sent. Returns undefined if another process answers the turn.
 *
 * The message waits for this statement, so it also returns whether another message separates it from its question.
 */
export async function recordSending(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turn: Pick<Turn, 'id' | 'chatId' | 'threadId' | 'promptMessageId' | 'createdAt'>,
  leaseOwner: number,
): Promise<boolean | undefined> {
  const { id, chatId, threadId, promptMessageId, createdAt } = turn
  const [recorded] = await prisma.$queryRaw<{ isSeparated: boolean }[]>`
    UPDATE bot.turn SET sending_since = now() WHERE id = ${id} AND lease_owner = ${leaseOwner}
    RETURNING EXISTS (
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
    ) AS "isSeparated"`
  return recorded?.isSeparated
}
