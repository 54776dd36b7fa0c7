import type { Pool } from 'pg'
import type { Cost, Turn, TurnEnd } from './turns.ts'

/** The state, the assistant's message and the charge: all of them or none, and only once. */
const END = `
  WITH ended AS (
    UPDATE bot.turn SET state = $2::bot.turn_state, error_code = $3, next_cost_micro_rub = $4,
      shown_text = CASE WHEN $5 THEN shown_text ELSE $6 END
    WHERE id = $1 AND state = 'streaming' RETURNING id, conversation_id, user_id, model
  ), answer AS (
    INSERT INTO bot.message (conversation_id, turn_id, role, content, model, prompt_tokens,
      completion_tokens, cost_micro_rub)
    SELECT conversation_id, id, 'assistant', $6, model, $7, $8, $9 FROM ended WHERE $5
  )
  INSERT INTO bot.charge (user_id, turn_id, kind, item, prompt_tokens, completion_tokens,
    amount_micro_rub, estimated)
  SELECT user_id, id, 'turn', model, $7, $8, $9, $10 FROM ended WHERE $9::bigint IS NOT NULL
  ON CONFLICT (turn_id, kind) DO NOTHING`

/** The charge of a turn that ended before; its message tells the same. One that was erased has none. */
const CHARGE = `
  WITH found AS (
    SELECT id FROM bot.turn WHERE id = $1 FOR KEY SHARE
  ), charged AS (
    INSERT INTO bot.charge (user_id, turn_id, kind, item, prompt_tokens, completion_tokens,
      amount_micro_rub, estimated)
    VALUES ($2, (SELECT id FROM found), 'turn', $3, $4, $5, $6, $7)
    ON CONFLICT (turn_id, kind) DO NOTHING RETURNING turn_id
  )
  UPDATE bot.message SET prompt_tokens = $4, completion_tokens = $5, cost_micro_rub = $6
  FROM charged WHERE message.turn_id = charged.turn_id AND message.role = 'assistant'`

/**
 * Ends a turn in one statement, unless it has ended.
 *
 * @throws {RangeError} If the cost is negative.
 */
export async function endTurn(
  pool: Pool,
  { id }: Pick<Turn, 'id'>,
  { state, errorCode, text, cost, nextCostMicroRub }: TurnEnd,
): Promise<void> {
  // What is left of a failed reply is on the turn alone: the model will not read it.
  const isAnswer = state !== 'failed' && text !== ''
  await pool.query({
    name: 'turn_end',
    text: END,
    values: [
      ...[id, state, errorCode ?? null, nextCostMicroRub ?? null, isAnswer, text],
      ...costValues(cost),
    ],
  })
}

/**
 * Charges a turn that ended before its cost was known, also if its user had it erased since. Safe to
 * repeat: a turn has one charge, the first.
 *
 * @throws {RangeError} If the cost is negative.
 */
export async function chargeTurn(
  pool: Pool,
  { id, userId, model }: Pick<Turn, 'id' | 'userId' | 'model'>,
  cost: Cost,
): Promise<void> {
  await pool.query({
    name: 'turn_charge',
    text: CHARGE,
    values: [id, userId, model, ...costValues(cost)],
  })
}

function costValues(cost: Cost | undefined) {
  if (cost === undefined) return [null, null, null, null]
  const { amountMicroRub, estimated, usage } = cost
  if (amountMicroRub < 0n) throw new RangeError('Cannot charge turn: the amount is negative')
  const { promptTokens = null, completionTokens = null } = usage ?? {}
  return [promptTokens, completionTokens, amountMicroRub, estimated]
}
