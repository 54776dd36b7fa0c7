import type { Pool } from 'pg'
import type { Random } from '../random.ts'
import { IN_GROUPS } from './spend-users.ts'

const LIMITED_USERS = 0.4
const LIMITED_GROUPS = 0.7
/** The price of a message, orders among them, about. */
const MICRO_RUB_PER_MESSAGE = 2_000_000
const PERCENT = { min: 10, max: 70 }

const SET = `
  INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by)
  SELECT subject_id, period::bot.limit_period, amount, 1
  FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS own (subject_id, period, amount)`

/**
 * Gives some users and groups limits that they reach in the middle of a run.
 *
 * @param messages How many all of them together are about to send.
 */
export async function setLimits(
  pool: Pool,
  random: Random,
  {
    userIds,
    groupIds,
    messages,
  }: { userIds: readonly number[]; groupIds: readonly number[]; messages: number },
): Promise<void> {
  const ofUser = messages / userIds.length
  const ofGroup = (messages * IN_GROUPS) / groupIds.length
  const limited = [
    ...userIds.filter(() => random.chance(LIMITED_USERS)).map((id) => ({ id, count: ofUser })),
    ...groupIds.filter(() => random.chance(LIMITED_GROUPS)).map((id) => ({ id, count: ofGroup })),
  ]
  const amounts = limited.map(({ count }) =>
    Math.round((count * MICRO_RUB_PER_MESSAGE * random.integer(PERCENT.min, PERCENT.max)) / 100),
  )
  const periods = limited.map(() => random.pick(['day', 'week', 'month', 'all'] as const))
  await pool.query(SET, [limited.map(({ id }) => id), periods, amounts])
}
