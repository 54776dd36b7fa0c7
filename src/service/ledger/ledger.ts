/**
 * The ledger: who has how much money, and what moved it.
 *
 * In: chat requests (hold, first output, end), tasks (charge, failure), adjustments by an operator. Out: money taken or
 * refunded, or a refusal. A request's row is its hold, its charge and its entry; a task's row is its charge and refund.
 * Invariant: balance = adjustments - costs or holds of requests - tasks that did not fail - folded days, always; a
 * balance is never negative because of a hold.
 * Locks, everywhere in this order: account, keys, then requests or tasks.
 */
import {
  type EndOutcome,
  endBatch,
  endOfAccount,
  type FirstOutput,
  type HoldEnd,
  markOutputs,
  takeOverRequests,
} from './ends.ts'
import {
  findPrice,
  type Held,
  type HoldOutcome,
  type HoldRequest,
  holdBatch,
  holdOneByOne,
  type PricedHold,
  withdraw,
} from './holds.ts'
import { Lane } from './lane.ts'
import { publishMoney } from './publish-money.ts'
import type { Pool } from './sql.ts'

/** The most keys that are remembered as limited, and prices as known. */
const REMEMBERED_MAX = 10_000

export class Ledger {
  readonly #pool: Pool
  readonly #holds: Lane<PricedHold, HoldOutcome>
  readonly #outputs: Lane<FirstOutput, boolean>
  readonly #ends: Lane<HoldEnd, EndOutcome>
  /** A hint: a batch would not serve their requests. */
  readonly #limitedKeys = new Set<string>()
  readonly #prices = new Map<string, Promise<number>>()

  constructor(pool: Pool) {
    this.#pool = pool
    this.#holds = new Lane({
      runBatch: (batch) => holdBatch(pool, batch),
      runOfAccount: (accountId, some) => holdOneByOne(pool, accountId, some),
      isUnusual: ({ keyId, repeatable }) =>
        repeatable !== undefined || this.#limitedKeys.has(keyId),
    })
    this.#outputs = new Lane({
      runBatch: (batch) => markOutputs(pool, batch),
      runOfAccount: (_, some) => markOutputs(pool, some),
    })
    this.#ends = new Lane({
      runBatch: (batch) => endBatch(pool, batch),
      runOfAccount: (accountId, some) => endOfAccount(pool, accountId, some),
    })
  }

  /**
   * Takes the estimate of a request from the balance. End the request with `end()`.
   *
   * If the database lost its answer, the hold may be taken: call `withdraw()`.
   *
   * @throws {RequestRefusedError} Nothing was taken.
   */
  async hold(request: HoldRequest): Promise<Held> {
    const { requestId, accountId, keyId, model, amountMicroRub } = request
    const priceId = await this.#findPrice(request)
    const outcome = await this.#holds.run({ ...request, priceId })
    if (outcome instanceof Error) throw outcome
    this.#remember(keyId, outcome.isLimited)
    if (outcome.answer === undefined) {
      publishMoney(() => ({
        kind: 'hold',
        reference: requestId,
        accountId,
        label: model,
        amountMicroRub,
      }))
    }
    return outcome
  }

  /** Makes sure that a hold which may have been taken is not. Safe to repeat. */
  async withdraw(request: HoldRequest): Promise<void> {
    const { accountId, requestId } = request
    if (await withdraw(this.#pool, request)) return
    await this.end({ accountId, requestId, state: 'released', reason: 'withdrawn' })
  }

  /**
   * Records that output is about to go out. Call it before the first byte.
   *
   * @returns True if the request is open. If not, nothing may be sent: its money was refunded.
   */
  async markOutput(output: FirstOutput): Promise<boolean> {
    return await this.#outputs.run(output)
  }

  /**
   * Ends a request, once. Safe to repeat.
   *
   * @returns True if the request has this end; false if it has ended otherwise, or is not there.
   */
  async end(end: HoldEnd): Promise<boolean> {
    const { state, requestId, costMicroRub = 0n } = end
    if (costMicroRub < 0n) throw new RangeError('Cannot end request: the cost is negative')
    const outcome = await this.#ends.run(end)
    if (outcome.isStored) publishEnd(requestId, outcome, costMicroRub)
    // The answer to an attempt before may have been lost.
    return outcome.isStored || outcome.state === state
  }

  /** Ends the requests of dead processes by the crash rule. @returns How many of each end. */
  async takeOver(): Promise<{ released: number; captured: number }> {
    return await takeOverRequests(this.#pool, ({ accountId, requestId, outcome }) =>
      publishEnd(requestId, outcome, 0n, accountId),
    )
  }

  #remember(keyId: string, isLimited: boolean): void {
    if (!isLimited) this.#limitedKeys.delete(keyId)
    else if (this.#limitedKeys.size < REMEMBERED_MAX) this.#limitedKeys.add(keyId)
  }

  #findPrice({ model, prices, usdMicroRub: usd }: HoldRequest): Promise<number> {
    const terms = JSON.stringify({ ...prices, usd }, writeAmount)
    const name = `${model} ${terms}`
    const known = this.#prices.get(name)
    if (known !== undefined) return known
    if (this.#prices.size >= REMEMBERED_MAX) this.#prices.clear()
    const finding = findPrice(this.#pool, model, terms)
    this.#prices.set(name, finding)
    finding.catch(() => this.#prices.delete(name))
    return finding
  }
}

/** Prices are far below what a JSON number holds exactly. */
function writeAmount(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

const FLOWS = { settled: 'settle', released: 'release', captured: 'keep' } as const

function publishEnd(
  reference: string,
  { state = 'released', backMicroRub }: EndOutcome,
  costMicroRub: bigint,
  accountId?: number,
): void {
  publishMoney(() => ({
    kind: FLOWS[state],
    reference,
    ...(accountId !== undefined && { accountId }),
    ...(state !== 'captured' && {
      amountMicroRub: state === 'settled' ? costMicroRub : backMicroRub,
    }),
  }))
}
