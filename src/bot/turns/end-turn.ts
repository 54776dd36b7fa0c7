import type { PrismaClient } from '../../database/generated/client.ts'
import type { TurnCost } from '../spend/turn-cost.ts'
import type { Turn, TurnEnd } from './turn.ts'

/**
 * Ends a turn.
 *
 * Invariant: its state, the assistant's message and the charge are stored by one statement, all of
 * them or none, only once, and by its lease owner. What is left of a failed reply is on the turn alone: the model does not
 * read it.
 *
 * @returns The turn as it ended; undefined if it had ended before, or its lease was lost.
 * @throws {RangeError} If the cost is negative.
 */
export async function endTurn(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turn: Turn,
  end: TurnEnd,
): Promise<Turn | undefined> {
  const { state, text, cost } = end
  const errorCode = end.errorCode ?? null
  const nextCostMicroRub = end.nextCostMicroRub ?? null
  const isAnswer = state !== 'failed' && text !== ''
  const { amountMicroRub, estimated, promptTokens, completionTokens } = columnsOf(cost)
  const [ended] = await prisma.$queryRaw<Pick<Turn, 'shownText' | 'contextPercent'>[]>`
    WITH ended AS (
      UPDATE bot.turn SET state = ${state}::bot.turn_state, error_code = ${errorCode},
        next_cost_micro_rub = ${nextCostMicroRub},
        shown_text = CASE WHEN ${isAnswer} THEN shown_text ELSE ${text} END
      WHERE id = ${turn.id} AND state = 'streaming' AND lease_owner = ${turn.leaseOwner}
      RETURNING id, conversation_id, user_id, model, shown_text, context_percent
    ), answer AS (
      INSERT INTO bot.message (conversation_id, turn_id, role, content, model, prompt_tokens,
        completion_tokens, cost_micro_rub)
      SELECT conversation_id, id, 'assistant', ${text}, model, ${promptTokens}::int,
        ${completionTokens}::int, ${amountMicroRub}::bigint
      FROM ended WHERE ${isAnswer}
    ), charged AS (
      INSERT INTO bot.charge (user_id, turn_id, kind, item, prompt_tokens, completion_tokens,
        amount_micro_rub, estimated)
      SELECT user_id, id, 'turn', model, ${promptTokens}::int, ${completionTokens}::int,
        ${amountMicroRub}::bigint, ${estimated}::boolean
      FROM ended WHERE ${amountMicroRub}::bigint IS NOT NULL
      ON CONFLICT (turn_id, kind) DO NOTHING
    )
    SELECT shown_text AS "shownText", context_percent AS "contextPercent" FROM ended`
  if (ended === undefined) return undefined
  return {
    ...turn,
    ...ended,
    state,
    errorCode,
    nextCostMicroRub,
    ...(isAnswer && { answer: text }),
    ...(cost && { charge: { amountMicroRub: cost.amountMicroRub, estimated: cost.estimated } }),
  }
}

/**
 * Charges a turn that ended before its cost was known, also if its user had it erased since.
 *
 * Invariant: a turn has one charge, the first, and its answer tells the same: both are written by one
 * statement. Safe to repeat.
 *
 * @throws {RangeError} If the cost is negative.
 */
export async function chargeTurn(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  { id, userId, model }: Pick<Turn, 'id' | 'userId' | 'model'>,
  cost: TurnCost,
): Promise<void> {
  const { amountMicroRub, estimated, promptTokens, completionTokens } = columnsOf(cost)
  await prisma.$executeRaw`
    WITH found AS (
      SELECT id FROM bot.turn WHERE id = ${id} FOR KEY SHARE
    ), charged AS (
      INSERT INTO bot.charge (user_id, turn_id, kind, item, prompt_tokens, completion_tokens,
        amount_micro_rub, estimated)
      VALUES (${userId}, (SELECT id FROM found), 'turn', ${model}, ${promptTokens},
        ${completionTokens}, ${amountMicroRub}, ${estimated})
      ON CONFLICT (turn_id, kind) DO NOTHING RETURNING turn_id
    )
    UPDATE bot.message SET prompt_tokens = ${promptTokens},
      completion_tokens = ${completionTokens}, cost_micro_rub = ${amountMicroRub}
    FROM charged WHERE message.turn_id = charged.turn_id AND message.role = 'assistant'`
}

/** Null where nothing is charged, or not known. */
function columnsOf(cost: TurnCost | undefined) {
  const { amountMicroRub = null, estimated = null, usage } = cost ?? {}
  if (amountMicroRub !== null && amountMicroRub < 0n) {
    throw new RangeError('Cannot charge turn: the amount is negative')
  }
  const { promptTokens = null, completionTokens = null } = usage ?? {}
  return { amountMicroRub, estimated, promptTokens, completionTokens }
}
