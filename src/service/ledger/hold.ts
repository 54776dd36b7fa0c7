/**
 * The estimate of one chat request, taken before the provider is called.
 *
 * Invariants:
 * - the key's proof, check, debit, hold and entry are one statement (batch/run-batch.ts), which others may share (batch/lane.ts);
 * - a request has one hold: asking for a second one fails and changes nothing;
 * - once `markFirstOutput()` has returned true the request counts as delivered in part, also after a crash.
 *
 * How a hold ends is in end-hold.ts and take-over-holds.ts.
 */
import type { LedgerSql, OperationOutcome } from './batch/operation.ts'
import { run } from './batch/run-batch.ts'
import { type DebitRequest, toDebitRefusal, toDebitRow } from './debit.ts'
import { release } from './end-hold.ts'
import { type LimitStanding, type RequestRefusedError, RequestUnderWayError } from './errors.ts'
import type { PriceTier, TokenPrices } from './price-tokens.ts'
import { publishMoney } from './publish-money.ts'
import type { RateLimit } from './rate-limit.ts'
import { findFirstAnswer, type Repeatable } from './repeated-hold.ts'
import { isTaken } from './sql.ts'

const IDEMPOTENCY_INDEX = 'hold_idempotency_key_idx'
/** Others with the same idempotency key may come and be given back meanwhile, but hardly more often. */
const ATTEMPTS_MAX = 3

export interface HoldRequest extends DebitRequest {
  /** A UUID, made by the caller before anything is sent. */
  requestId: string
  /** The model's prices, which the request keeps. */
  prices: TokenPrices
  usdMicroRub?: bigint | undefined
  leaseOwner: number
  repeatable?: Repeatable | undefined
}

export interface Held {
  standing?: LimitStanding | undefined
  /** The answer of the first request with the same idempotency key: nothing is taken or counted for this one. */
  answer?: object
}

/**
 * Takes the estimate from the balance. End the hold with `settle()`, `release()` or `keep()`.
 *
 * Where it throws, nothing is taken; where the database lost its answer, once `withdrawHold()` has been called.
 *
 * @throws {InvalidKeyError} If the key is revoked, has expired or is not one of the account's.
 * @throws {ModelNotAllowedError} If the key may not use the model.
 * @throws {RateLimitReachedError} If the account has made as many requests as it may.
 * @throws {BalanceTooLowError} If the balance is below the amount.
 * @throws {SpendLimitReachedError} If the key may not spend so much more.
 * @throws {IdempotencyKeyReusedError} If the idempotency key came with another request.
 * @throws {RequestUnderWayError} If the first request with it has no answer yet.
 */
export async function hold(sql: LedgerSql, request: HoldRequest): Promise<Held> {
  const { requestId, accountId, model, amountMicroRub, repeatable } = request
  for (let attempt = 1; ; attempt += 1) {
    const held = await tryHold(sql, request)
    if (held?.isDone) return succeed(held)
    if (held !== undefined && !mayReadFirst(held)) throw await refuse(held)
    const answer = repeatable && (await findFirstAnswer(sql, accountId, repeatable))
    if (answer !== undefined) return { answer }
    if (attempt === ATTEMPTS_MAX) throw new RequestUnderWayError()
  }

  async function refuse(held: OperationOutcome): Promise<RequestRefusedError> {
    const refusal = await toDebitRefusal(sql, request, held)
    refusal.standing ??= toStanding(held, request.limit)
    return refusal
  }

  function succeed(held: OperationOutcome): Held {
    publishMoney(() => ({
      kind: 'hold',
      reference: requestId,
      accountId,
      label: model,
      amountMicroRub,
    }))
    return { standing: toStanding(held, request.limit) }
  }
}

function toStanding(
  { limitMax, limitLeft }: OperationOutcome,
  { windowMs }: RateLimit,
): LimitStanding | undefined {
  if (limitMax === null || limitLeft === null) return undefined
  // This request is the last that has to leave the window.
  return { requestsMax: limitMax, requestsLeft: limitLeft, resetMs: windowMs }
}

/** @returns Undefined where another request with the idempotency key came at the same moment, and was first. */
async function tryHold(
  sql: LedgerSql,
  request: HoldRequest,
): Promise<OperationOutcome | undefined> {
  const { requestId, accountId, prices, repeatable } = request
  try {
    return await run(sql, {
      subject:
        repeatable === undefined ? requestId : `${accountId} chat ${repeatable.idempotencyKey}`,
      row: {
        kind: 'hold',
        entry_kind: 'hold',
        ...toDebitRow(request),
        request_id: requestId,
        lease_owner: request.leaseOwner,
        prompt_price: `${prices.prompt}`,
        cached_prompt_price: prices.cachedPrompt?.toString(),
        cache_write_price: prices.cacheWrite?.toString(),
        completion_price: `${prices.completion}`,
        reasoning_price: prices.reasoning?.toString(),
        price_tiers: prices.tiers?.map(toTierRow),
        usd_price: request.usdMicroRub?.toString(),
        idempotency_key: repeatable?.idempotencyKey,
        request_hash: repeatable?.requestHash,
      },
    })
  } catch (error) {
    // The whole statement is undone, with the money that it took.
    if (!isTaken(error, IDEMPOTENCY_INDEX)) throw error
    return undefined
  }
}

/** Digits, since JSON has no whole numbers of this size. */
function toTierRow({ abovePromptTokens, ...rates }: PriceTier): object {
  const digits = Object.entries(rates).map(([name, rate]) => [name, rate?.toString()])
  return { abovePromptTokens, ...Object.fromEntries(digits) }
}

function mayReadFirst({ isRepeat, allowsModel, state }: OperationOutcome): boolean {
  return isRepeat === true && allowsModel === true && state !== 'closed'
}

// The account is locked first, as a hold locks it: the one would wait for the other's id, and that for the account.
const WITHDRAW = `
  WITH payer AS MATERIALIZED (
    SELECT id FROM service.account WHERE id = $2 FOR UPDATE
  ), withdrawn AS (
    INSERT INTO service.hold (request_id, account_id, key_id, model, amount_micro_rub, cost_micro_rub,
      lease_owner, state, end_reason, ended_at)
    SELECT $1, id, $3, $4, 0, 0, $5, 'released', 'withdrawn', now() FROM payer
    ON CONFLICT DO NOTHING
    RETURNING request_id, account_id, key_id
  )
  INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, key_id)
  SELECT account_id, kind, 0, request_id, key_id
  FROM withdrawn, unnest(ARRAY['hold', 'release']::service.entry_kind[]) AS kind`

/**
 * Makes sure that a hold which may have been taken is not: one that is there is given back, and one whose statement
 * is still on its way finds its id in use. Safe to repeat.
 */
export async function withdrawHold(
  sql: LedgerSql,
  { requestId, accountId, keyId, model, leaseOwner }: HoldRequest,
): Promise<void> {
  const values = [requestId, accountId, keyId, model, leaseOwner]
  const { rowCount } = await sql.query({ name: 'hold-withdraw', text: WITHDRAW, values })
  if (rowCount === 0) await release(sql, requestId, 'withdrawn')
}

/**
 * Records that the answer is about to reach the client. Call it before the first byte.
 *
 * @returns True if the hold is open. If not, nothing may be sent: its money was given back.
 */
export async function markFirstOutput(
  sql: LedgerSql,
  requestId: string,
  upstream?: string,
): Promise<boolean> {
  const marked = await run(sql, {
    subject: requestId,
    row: { kind: 'first_output', request_id: requestId, upstream },
  })
  return marked.isDone
}
