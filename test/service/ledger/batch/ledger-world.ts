import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { adjustBalance } from '../../../../src/service/ledger/adjust-balance.ts'
import type { LedgerSql } from '../../../../src/service/ledger/batch/operation.ts'
import { keep, release, settle } from '../../../../src/service/ledger/end-hold.ts'
import { markFirstOutput } from '../../../../src/service/ledger/hold.ts'
import { chargeTask } from '../../../../src/service/ledger/task-charge.ts'
import { fundedAccount, takeHold } from '../ledger-fixture.ts'

const ACCOUNTS = 3
const KEYS = ['plain', 'limited', 'renewing', 'rated', 'narrow', 'expired', 'revoked'] as const
const ROUTES = { chat: 6, video: 3 } as const

type Random = (below: number) => number

/** One call of the ledger; who and what are numbers, which mean the same in every world. */
export type Step =
  | {
      do: 'hold'
      account: number
      key: number
      model: string
      amount: number
      request: number
      name?: string
    }
  | { do: 'charge'; account: number; key: number; amount: number; label: string; name?: string }
  | { do: 'mark' | 'release' | 'keep'; request: number }
  | { do: 'settle'; request: number; cost: number }

/** How accounts and keys are when a round begins. */
export interface Beginning {
  balances: readonly number[]
  states: readonly string[]
  spendLimits: readonly number[]
}

export function randomBeginning(random: Random): Beginning {
  const each = <T>(make: () => T) => Array.from({ length: ACCOUNTS }, make)
  return {
    balances: each(() => 1 + random(3000)),
    states: each(() => (random(8) > 0 ? 'open' : random(2) > 0 ? 'frozen' : 'closed')),
    spendLimits: each(() => random(1500)),
  }
}

/** @param requests How many holds were asked for so far, in each world. */
export function randomSteps(random: Random, requests: number): Step[] {
  let asked = requests
  return Array.from({ length: 2 + random(30) }, (): Step => {
    const account = random(ACCOUNTS)
    const key = random(4) > 0 ? random(4) : random(KEYS.length)
    const amount = random(600)
    const request = random(Math.max(1, requests))
    switch (random(9)) {
      case 0:
        return { do: 'mark', request }
      case 1:
        return { do: 'release', request }
      case 2:
        return { do: 'keep', request }
      case 3:
      case 4:
        return { do: 'settle', request, cost: amount }
      case 5: {
        const label = `clip-${random(2)}`
        const name = random(2) > 0 ? `order-${random(3)}` : undefined
        return { do: 'charge', account, key, amount, label, ...(name && { name }) }
      }
      default: {
        const model = random(6) > 0 ? 'alpha' : 'beta'
        const isRepeat = random(12) === 0 && requests > 0
        const hold = { do: 'hold', account, key, model, amount } as const
        if (isRepeat) return { ...hold, request }
        // The end of the first one may be among the steps: a batch knows by their names that the two belong together.
        const name = asked === 0 || random(6) > 0 ? undefined : `chat-${random(3)}`
        return { ...hold, request: asked++, ...(name && { name }) }
      }
    }
  })
}

/** Accounts of their own, on which steps are done. */
export async function createWorld(pool: pg.Pool, beginning: Beginning) {
  const accounts: number[] = []
  for (const [index, balance] of beginning.balances.entries()) {
    const id = await fundedAccount(pool, BigInt(balance))
    accounts.push(id)
    await addKeys(id, beginning.spendLimits[index] ?? 0)
    await pool.query('UPDATE service.account SET state = $2 WHERE id = $1', [
      id,
      beginning.states[index],
    ])
  }
  const requestIds: string[] = []
  return { perform, credit, read }

  async function addKeys(id: number, spendLimit: number): Promise<void> {
    await pool.query(
      `INSERT INTO service.api_key
         (public_id, account_id, secret_hash, spend_limit_micro_rub, models, expires_at, revoked_at, requests_per_minute,
          spend_period, spend_time_zone, period_began_at)
       VALUES ($1 || 'plain', $2, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
         ($1 || 'limited', $2, '', $3, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
         ($1 || 'renewing', $2, '', $3, NULL, NULL, NULL, NULL, 'month', 'UTC', '2026-01-01'),
         ($1 || 'rated', $2, '', NULL, NULL, NULL, NULL, 2, NULL, NULL, NULL),
         ($1 || 'narrow', $2, '', NULL, '{beta}', NULL, NULL, NULL, NULL, NULL, NULL),
         ($1 || 'expired', $2, '', NULL, NULL, now(), NULL, NULL, NULL, NULL, NULL),
         ($1 || 'revoked', $2, '', NULL, NULL, NULL, now(), NULL, NULL, NULL, NULL)`,
      [`key${id}`, id, spendLimit],
    )
  }

  async function perform(sql: LedgerSql, step: Step): Promise<string> {
    try {
      return String(await call(sql, step))
    } catch (error) {
      const { name, message, code } = error as Error & { code?: string }
      return name === 'RateLimitReachedError' ? name : `${name} ${code ?? message}`
    }
  }

  async function call(sql: LedgerSql, step: Step): Promise<unknown> {
    switch (step.do) {
      case 'hold':
        await takeHold(sql, {
          ...pay(step, 'chat'),
          model: step.model,
          requestId: requestIdOf(step.request),
          repeatable: step.name ? { idempotencyKey: step.name, requestHash: 'same' } : undefined,
        })
        return 'held'
      case 'charge': {
        const taskId = await chargeTask(sql, {
          ...pay(step, 'video'),
          model: 'alpha',
          endpoint: 'videos/x',
          params: { prompt: `A "${step.label}"` },
          label: step.label,
          idempotencyKey: step.name,
        })
        const { rows } = await pool.query(
          'SELECT label, idempotency_key, price_micro_rub FROM service.task WHERE id = $1',
          [taskId],
        )
        return JSON.stringify(rows)
      }
      case 'mark':
        return await markFirstOutput(sql, requestIdOf(step.request), 'main')
      case 'settle':
        return await settle(sql, {
          requestId: requestIdOf(step.request),
          costMicroRub: BigInt(step.cost),
          usage: { promptTokens: step.cost, completionTokens: 2 },
        })
      case 'release':
        return await release(sql, requestIdOf(step.request))
      case 'keep':
        return await keep(sql, requestIdOf(step.request))
    }
  }

  function pay(
    { account, key, amount }: { account: number; key: number; amount: number },
    route: keyof typeof ROUTES,
  ) {
    const accountId = accounts[account] ?? 0
    const limit = { route, requestsMax: ROUTES[route], windowMs: 60_000 }
    return {
      accountId,
      keyId: `key${accountId}${KEYS[key]}`,
      amountMicroRub: BigInt(amount),
      limit,
    }
  }

  function requestIdOf(request: number): string {
    requestIds[request] ??= randomUUID()
    return requestIds[request]
  }

  async function credit(account: number, amount: number): Promise<void> {
    const accountId = accounts[account] ?? 0
    await adjustBalance(pool, { accountId, amountMicroRub: BigInt(amount) })
  }

  async function read() {
    const { rows } = await pool.query(
      `SELECT balance_micro_rub,
         (SELECT json_agg(json_build_array(regexp_replace(public_id, '[0-9]+', ''), spent_micro_rub,
            period_spent_micro_rub) ORDER BY public_id)
          FROM service.api_key WHERE account_id = account.id) AS keys,
         (SELECT json_agg(json_build_array(kind, amount_micro_rub, array_position($2::uuid[], hold_id),
            task_id IS NULL, regexp_replace(key_id, '[0-9]+', '')) ORDER BY id)
          FROM service.entry WHERE account_id = account.id) AS entries,
         (SELECT json_agg(json_build_array(model, amount_micro_rub, state, first_output_at IS NULL,
            lease_owner, cost_micro_rub, prompt_tokens, completion_tokens, upstream, ended_at IS NULL,
            idempotency_key, prompt_micro_rub_per_1m, completion_micro_rub_per_1m, regexp_replace(key_id, '[0-9]+', ''))
            ORDER BY array_position($2::uuid[], request_id))
          FROM service.hold WHERE account_id = account.id) AS holds,
         (SELECT json_agg(json_build_array(endpoint, params, label, price_micro_rub, idempotency_key,
            due_at IS NULL, status) ORDER BY id)
          FROM service.task WHERE account_id = account.id) AS tasks,
         (SELECT json_agg(json_build_array(regexp_replace(route, '[0-9]+', ''), cardinality(accepted_at)) ORDER BY route)
          FROM service.rate_limit WHERE account_id = account.id) AS limits
       FROM service.account WHERE id = ANY($1) ORDER BY id`,
      [accounts, requestIds],
    )
    return rows
  }
}
