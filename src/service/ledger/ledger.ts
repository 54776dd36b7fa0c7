/**
 * The ledger: who has how much money, and what moved it.
 *
 * In: chat requests (hold, first output, end), tasks (charge, failure), adjustments by an operator. Out: money taken or
 * refunded, or a refusal. A request's row is its hold, its charge and its entry; a task's row is its charge and refund.
 * Invariant: balance = adjustments - costs or holds of requests - tasks that did not fail - folded days, always; a
 * balance is never negative because of a hold.
 * Locks, everywhere in this order: account, keys, then requests or tasks.
 */
import { BATCH_MAX, Batcher, BatchTurns, type Runs } from './batcher.ts'
import {
  type AskedEnd,
  type EndOutcome,
  endBatch,
  endSingle,
  type FirstOutput,
  findLeft,
  type HoldEnd,
  markOutputs,
} from './ends.ts'
import {
  findPrice,
  type Held,
  type HoldRequest,
  holdBatch,
  holdSingle,
  type PricedHold,
  withdraw,
} from './holds.ts'
import type { TokenPrices } from './price-tokens.ts'
import { publishMoney } from './publish-money.ts'
import type { Pool } from './sql.ts'

/** The most keys that are remembered as limited. */
const LIMITED_KEYS_MAX = 10_000

/** A model's prices as a row that requests name. */
interface KnownPrice {
  model: string
  usdMicroRub: bigint | undefined
  id: Promise<number>
}

export class Ledger {
  readonly #pool: Pool
  readonly #holds: Batcher<PricedHold, Held>
  readonly #outputs: Batcher<FirstOutput, boolean>
  readonly #ends: Batcher<AskedEnd, EndOutcome>
  /** A hint: a batch would not serve their requests. */
  readonly #limitedKeys = new Set<string>()
  readonly #prices = new WeakMap<TokenPrices, KnownPrice>()

  constructor(pool: Pool) {
    this.#pool = pool
    const turns = new BatchTurns()
    const holds: Runs<PricedHold, Held> = {
      batch: (some, waits) => holdBatch(pool, some, waits),
      single: (one) => holdSingle(pool, one),
    }
    const ends: Runs<AskedEnd, EndOutcome> = {
      batch: (some, waits) => endBatch(pool, some, waits),
      single: (one) => endSingle(pool, one),
    }
    this.#holds = new Batcher(holds, turns)
    this.#ends = new Batcher(ends, turns)
    this.#outputs = new Batcher({
      batch: (some) => markOutputs(pool, some),
      single: async (one) => (await markOutputs(pool, [one])).includes(true),
    })
  }

  /** Takes the estimate until `end()`. If the answer is lost, call `withdraw()`. @throws {RequestRefusedError} */
  async hold(request: HoldRequest): Promise<Held> {
    const { requestId: reference, accountId, keyId, model: label, amountMicroRub } = request
    const priceId = await this.#findPrice(request)
    const isUnusual = request.repeatable !== undefined || this.#limitedKeys.has(keyId)
    const held = await this.#holds.run({ ...request, priceId }, isUnusual)
    if (!held.isLimited) this.#limitedKeys.delete(keyId)
    else if (this.#limitedKeys.size < LIMITED_KEYS_MAX) this.#limitedKeys.add(keyId)
    if (held.answer === undefined) {
      publishMoney({ kind: 'hold', reference, accountId, label, amountMicroRub })
    }
    return held
  }

  /** Makes sure that a hold which may have been taken is not. Safe to repeat. */
  async withdraw(request: HoldRequest): Promise<void> {
    const { accountId, requestId } = request
    if (await withdraw(this.#pool, request)) return
    await this.end({ accountId, requestId, state: 'released', reason: 'withdrawn' })
  }

  /** Records that output is about to go out. If it returns false, nothing may be sent: the money was refunded. */
  async markOutput(output: FirstOutput): Promise<boolean> {
    return await this.#outputs.run(output)
  }

  /** Ends a request, once. Safe to repeat. Returns false if it has ended otherwise, or is not there. */
  async end(end: HoldEnd): Promise<boolean> {
    const { costMicroRub = 0n } = end
    if (costMicroRub < 0n) throw new RangeError('Cannot end request: the cost is negative')
    const { isStored, state } = await this.#end(end)
    // The answer to an attempt before may have been lost.
    return isStored || state === end.state
  }

  /** Ends the requests of dead processes by the crash rule. Safe to repeat; several processes may do it at once. */
  async takeOver(): Promise<{ released: number; captured: number }> {
    const counts = { released: 0, captured: 0 }
    for (;;) {
      const left = await findLeft(this.#pool)
      const ends = left.map((one) => this.#end({ ...one, state: undefined, reason: 'taken_over' }))
      for (const { isStored, state } of await Promise.all(ends)) {
        if (isStored) counts[state === 'captured' ? state : 'released'] += 1
      }
      if (left.length < BATCH_MAX) return counts
    }
  }

  async #end(end: AskedEnd): Promise<EndOutcome> {
    const { accountId, requestId: reference, costMicroRub = 0n } = end
    const outcome = await this.#ends.run(end)
    const { isStored, state, backMicroRub } = outcome
    if (isStored && state !== undefined) {
      const amountMicroRub = { settled: costMicroRub, released: backMicroRub, captured: undefined }[
        state
      ]
      publishMoney({ kind: FLOWS[state], reference, accountId, amountMicroRub })
    }
    return outcome
  }

  #findPrice({ model, prices, usdMicroRub }: HoldRequest): Promise<number> {
    const known = this.#prices.get(prices)
    if (known?.model === model && known.usdMicroRub === usdMicroRub) return known.id
    const terms = JSON.stringify({ ...prices, usd: usdMicroRub }, writeAmount)
    const id = findPrice(this.#pool, model, terms)
    this.#prices.set(prices, { model, usdMicroRub, id })
    id.catch(() => this.#prices.delete(prices))
    return id
  }
}

const FLOWS = { settled: 'settle', released: 'release', captured: 'keep' } as const

/** Prices are far below what a JSON number holds exactly. */
function writeAmount(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
