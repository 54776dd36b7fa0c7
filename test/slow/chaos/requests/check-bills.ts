import type pg from 'pg'
import { expect } from 'vitest'
import type { BillsReport, Estimate } from '../bills.ts'
import { explainHold } from '../explain-hold.ts'
import type { AskedChat } from '../upstream-chats.ts'
import type { Report } from './client.ts'
import { MAX_TOKENS_BASE } from './plan.ts'
import {
  COMPLETION_MICRO_RUB_PER_TOKEN,
  PROMPT_MICRO_RUB_PER_TOKEN,
  type TwoServices,
} from './services.ts'

interface EndedRow {
  amount: string
  cost: string
  endReason: string
  isOut: boolean
  createdAt: Date
  endedAt: Date
}

const HOLDS = `
  SELECT held_micro_rub AS amount, coalesce(cost_micro_rub, held_micro_rub) AS cost,
    end_reason::text AS "endReason", output_at IS NOT NULL AS "isOut",
    created_at AS "createdAt", ended_at AS "endedAt"
  FROM service.request WHERE end_reason <> 'withdrawn'`

/**
 * Compares what each chat cost with what the model billed for it. Where they differ, nobody can have known the end.
 *
 * @returns Those that differ, with their reasons.
 */
export async function checkBills(
  sql: pg.Pool,
  reports: readonly Report[],
  { chats, kills }: { chats: ReadonlyMap<string, AskedChat> } & Pick<TwoServices, 'kills'>,
): Promise<BillsReport> {
  const { rows } = await sql.query<EndedRow>(HOLDS)
  const byIndex = new Map(reports.map((report) => [report.planned.index, report]))
  const asked = new Map([...chats].map(([message, chat]) => [Number.parseInt(message, 10), chat]))
  const sums = { requests: 0, billedMicroRub: 0n, chargedMicroRub: 0n }
  const estimates: Estimate[] = []
  const problems: string[] = []
  for (const row of rows) judge(row)
  expect(problems).toEqual([])
  return { ...sums, estimates }

  function judge({ amount, cost, ...hold }: EndedRow): void {
    const index = Number(BigInt(amount) / COMPLETION_MICRO_RUB_PER_TOKEN) - MAX_TOKENS_BASE
    const chat = asked.get(index)
    const report = byIndex.get(index)
    const billedMicroRub = billOf(chat)
    const chargedMicroRub = BigInt(cost)
    sums.requests += 1
    sums.billedMicroRub += billedMicroRub
    sums.chargedMicroRub += chargedMicroRub
    if (billedMicroRub === chargedMicroRub) return
    const kill = kills.find(
      ({ instance, beganAt, endedAt }) =>
        instance === report?.instance &&
        beganAt <= hold.endedAt.getTime() &&
        endedAt >= hold.createdAt.getTime(),
    )
    const { text, isKnown } = explainHold(
      { ...hold, asked: chat },
      {
        isServiceKilled: kill !== undefined,
        serviceHinderedAt: kill && new Date(kill.beganAt),
        isClientGone: report?.outcome === 'left',
      },
    )
    const name = `request ${index} (${report?.planned.kind}, ${report?.outcome})`
    estimates.push({ name, reason: text, billedMicroRub, chargedMicroRub })
    if (isKnown)
      problems.push(`${name}: ${billedMicroRub} billed, ${chargedMicroRub} charged: ${text}`)
  }
}

function billOf(chat: AskedChat | undefined): bigint {
  if (chat?.tokens === undefined) return 0n
  const { promptTokens, completionTokens } = chat.tokens
  return (
    BigInt(promptTokens) * PROMPT_MICRO_RUB_PER_TOKEN +
    BigInt(completionTokens) * COMPLETION_MICRO_RUB_PER_TOKEN
  )
}
