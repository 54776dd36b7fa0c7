/**
 * Sums usage and its cost from the rows of requests and tasks, and the days that retention has folded.
 *
 * Invariant: what accounts used is what left their balances for it. A request that is under way costs what is
 * held for it, one that was given back nothing, and each counts on the day it began.
 */

import { type DayRange, startOfDaySql } from './days.ts'
import type { Sql } from './sql.ts'

/** The ways to group usage. */
export const USAGE_GROUPS = ['account', 'day', 'model', 'key'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The requests to sum up, and their grouping. */
export interface UsageQuestion {
  accountId: number | undefined
  period: DayRange
  timeZone: string
  /** One at least, and none twice: there is a sum for each combination of them. */
  by: readonly UsageGroup[]
}

/** What requests of one sum have in common. */
export interface UsageLabel {
  by: UsageGroup
  /**
   * Id of the account, date of the day, the model's name, public id of the key; null for requests from before keys
   * were recorded.
   */
  value: string | null
  name: string | null
}

export interface UsageSum {
  labels: readonly UsageLabel[]
  /** Chats and tasks, also those that cost nothing in the end. */
  requests: number
  promptTokens: number
  completionTokens: number
  costMicroRub: bigint
  /** What upstreams take for it, where that is known; null where it is of none of the requests. */
  upstreamCostMicroRub: bigint | null
  /** The part of the cost of which it is not known what upstreams take. */
  uncostedMicroRub: bigint
  /** What providers report for it; null where they report it of none of the requests. */
  reportedCostMicroRub: bigint | null
  /** The part of the cost that a report stands beside. */
  comparedMicroRub: bigint
}

/** What is left of the cost of requests after what upstreams take; null where that is known of none of them. */
export function toMarginMicroRub({
  costMicroRub,
  upstreamCostMicroRub,
  uncostedMicroRub,
}: UsageSum): bigint | null {
  if (upstreamCostMicroRub === null) return null
  return costMicroRub - uncostedMicroRub - upstreamCostMicroRub
}

const GROUP_SQL = {
  account: 'account.id::text',
  // A folded day is one of UTC.
  day: 'COALESCE(folded_day, (created_at AT TIME ZONE $4)::date)::text',
  model: 'model',
  key: 'key_id',
} as const satisfies Record<UsageGroup, string>

const NAME_SQL = {
  account: '(SELECT name FROM service.account WHERE id = used.account::int)',
  day: 'NULL',
  model: 'NULL',
  key: '(SELECT name FROM service.api_key WHERE public_id = used.key)',
} as const satisfies Record<UsageGroup, string>

const ORDER_SQL = {
  account: 'account::int',
  day: 'day',
  model: 'model',
  key: 'key',
} as const satisfies Record<UsageGroup, string>

/** Groups that have no order of their own: of those that differ in the last one alone, what costs most comes first. */
const BY_COST: readonly UsageGroup[] = ['model', 'key']

/** Sums up requests. Each account is read by itself, so that the index on account and time finds its rows. */
export async function sumUsage(
  sql: Sql,
  { accountId, period, timeZone, by }: UsageQuestion,
): Promise<UsageSum[]> {
  const { rows } = await sql.query<Record<string, string | null>>(toSql(by), [
    accountId,
    period.from,
    period.to,
    timeZone,
  ])
  return rows.map((sums) => ({
    labels: by.map((group) => ({
      by: group,
      value: sums[group] ?? null,
      name: sums[`${group}_name`] ?? null,
    })),
    requests: Number(sums.requests),
    promptTokens: Number(sums.promptTokens),
    completionTokens: Number(sums.completionTokens),
    costMicroRub: BigInt(sums.cost ?? 0),
    upstreamCostMicroRub: sums.upstreamCost == null ? null : BigInt(sums.upstreamCost),
    uncostedMicroRub: BigInt(sums.uncosted ?? 0),
    reportedCostMicroRub: sums.reportedCost == null ? null : BigInt(sums.reportedCost),
    comparedMicroRub: BigInt(sums.compared ?? 0),
  }))
}

function toSql(by: readonly UsageGroup[]): string {
  const columns = by.join(', ')
  const values = by.map((group) => `${GROUP_SQL[group]} AS ${group}`).join(', ')
  const names = by.map((group) => `${NAME_SQL[group]} AS ${group}_name`).join(', ')
  const order = by.flatMap((group, index) => {
    const isByCost = index === by.length - 1 && BY_COST.includes(group)
    return isByCost ? ['cost DESC', ORDER_SQL[group]] : [ORDER_SQL[group]]
  })
  const inPeriod = `account_id = account.id
    AND created_at >= ${startOfDaySql({ day: '$2', timeZone: '$4' })}
    AND created_at < ${startOfDaySql({ day: '$3::date + 1', timeZone: '$4' })}`
  return `
    SELECT ${columns}, ${names}, requests, "promptTokens", "completionTokens", cost, "upstreamCost", uncosted,
           "reportedCost", compared
    FROM (
      SELECT ${columns}, sum(requests) AS requests, sum(prompt_tokens) AS "promptTokens",
             sum(completion_tokens) AS "completionTokens", sum(cost) AS cost,
             sum(upstream_cost) AS "upstreamCost", sum(uncosted) AS uncosted,
             sum(reported_cost) AS "reportedCost", sum(compared) AS compared
      FROM service.account CROSS JOIN LATERAL (
        SELECT ${values}, sum(requests) AS requests,
               COALESCE(sum(prompt_tokens), 0) AS prompt_tokens,
               COALESCE(sum(completion_tokens), 0) AS completion_tokens, sum(cost) AS cost,
               sum(upstream_cost) AS upstream_cost, sum(uncosted) AS uncosted, sum(reported_cost) AS reported_cost,
               sum(compared) AS compared
        FROM (
          SELECT created_at, NULL::date AS folded_day, model, key_id, 1 AS requests, prompt_tokens, completion_tokens,
                 cost, upstream_cost_micro_rub AS upstream_cost,
                 CASE WHEN upstream_cost_micro_rub IS NULL THEN cost END AS uncosted,
                 reported_cost_micro_rub AS reported_cost,
                 CASE WHEN reported_cost_micro_rub IS NOT NULL THEN cost END AS compared
          FROM service.request CROSS JOIN LATERAL (
            SELECT COALESCE(cost_micro_rub, held_micro_rub) AS cost) AS charged
          WHERE ${inPeriod}
          UNION ALL
          -- A price label begins with the model's name.
          SELECT created_at, NULL, split_part(label, '-', 1), key_id, 1, NULL, NULL, cost, NULL, cost, NULL, NULL
          FROM service.task CROSS JOIN LATERAL (
            SELECT CASE status WHEN 'fail' THEN 0 ELSE price_micro_rub END AS cost) AS charged
          WHERE ${inPeriod}
          UNION ALL
          SELECT NULL, day, model, key_id, requests, prompt_tokens, completion_tokens, cost_micro_rub,
                 upstream_cost_micro_rub, uncosted_micro_rub, reported_cost_micro_rub, compared_micro_rub
          FROM service.day_sum WHERE account_id = account.id AND day BETWEEN $2::date AND $3::date
        ) AS request GROUP BY ${columns}
      ) AS of_account
      WHERE $1::int IS NULL OR account.id = $1
      GROUP BY ${columns}
    ) AS used ORDER BY ${order.join(', ')}`
}
