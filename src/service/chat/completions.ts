import { v7 as uuidV7 } from 'uuid'
import { addHoldMargin } from '../../contract/token-estimate.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { isOutcomeUnknown } from '../../platform/database/trouble.ts'
import { type LimitStanding, RequestRefusedError } from '../ledger/errors.ts'
import type { HoldRequest } from '../ledger/holds.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { priceAtMost, pricesAt } from '../ledger/price-tokens.ts'
import { ProviderError } from '../providers/provider.ts'
import {
  type CheckedChat,
  type Completion,
  type CompletionDeps,
  openCompletion,
} from './completion.ts'

/** Everything that the requests need; each one has the same. */
export interface CompletionsDeps extends CompletionDeps {
  instance: Pick<Instance, 'id' | 'leased'>
}

/**
 * Runs chat requests: estimate held → provider → settled. However a request ends, its hold ends
 * before `run()` does, or as soon as the database takes it.
 */
export function createCompletions({
  ledger,
  instance,
  endings,
  metrics,
  onProviderRefused,
}: CompletionsDeps) {
  const open = new Map<CheckedChat['client'], Promise<unknown>>()
  let isStopping = false
  return { run, stop }

  /**
   * Takes the estimate and has the answer written.
   *
   * @returns What `answer` has; or the answer of the first request with the same idempotency key.
   * @throws {RequestRefusedError} If there is no hold, for any of the reasons that `hold()` gives.
   * @throws What `answer` throws, once a refusal is true: the hold has ended then.
   * @throws {UnsureEndError} If that cannot be known in time.
   */
  async function run<T>(
    request: CheckedChat,
    answer: (completion: Completion) => Promise<T>,
  ): Promise<T | object> {
    let completion: Completion | undefined
    const running = runToEnd(request, (opened) => {
      completion = opened
      return answer(opened)
    }).finally(() => open.delete(request.client))
    open.set(request.client, running)
    try {
      return await running
    } catch (error) {
      // Nothing that stops waits for this: only the connections of a later epoch may bring it about.
      await completion?.refusable()
      throw error
    }
  }

  async function runToEnd<T>(
    request: CheckedChat,
    answer: (completion: Completion) => Promise<T>,
  ): Promise<T | object> {
    const { accountId, keyId, limit, promptTokens, maxTokens, client, log } = request
    const model = { ...request.model, prices: pricesAt(request.model.prices, new Date()) }
    if (isStopping) throw stoppingError()
    client.signal.throwIfAborted()
    // Of a hold and its entries the newest are together in each index: random ids would touch a page of theirs each.
    const requestId = uuidV7()
    const usage = {
      promptTokens: addHoldMargin(promptTokens),
      completionTokens: maxTokens + model.thinkingTokens,
    }
    const held = { usage, costMicroRub: priceAtMost(model.prices, usage) }
    const asked: HoldRequest = {
      requestId,
      accountId,
      keyId,
      limit,
      model: model.id,
      amountMicroRub: held.costMicroRub,
      prices: model.prices,
      usdMicroRub: model.usdMicroRub,
      leaseOwner: instance.id,
      repeatable: request.repeatable,
    }
    try {
      const held = await ledger.hold(asked)
      if (held.answer !== undefined) return held.answer
      tellStanding(held.standing)
    } catch (error) {
      if (error instanceof RequestRefusedError) tellStanding(error.standing)
      if (!(error instanceof RequestRefusedError) && isOutcomeUnknown(error)) withdraw(asked, log)
      throw error
    }
    metrics.moneyMoved('held', held.costMicroRub)
    const completion = openCompletion(
      { ...request, model },
      { requestId, held },
      { ledger, instance, endings, metrics, onProviderRefused },
    )
    try {
      return await answer(completion)
    } finally {
      await completion.giveUp()
    }

    function tellStanding(standing: LimitStanding | undefined): void {
      if (standing !== undefined) request.onStanding?.(standing)
    }
  }

  function withdraw(request: HoldRequest, log: CheckedChat['log']): void {
    const store = async (ledger: Ledger) => {
      await ledger.withdraw(request)
      return true
    }
    void endings.store({ requestId: request.requestId, store }, { log, waitMs: 0 })
  }

  /**
   * Refuses what comes and waits until the open requests have ended, up to `timeoutMs`; then breaks
   * off the rest, by rule: what had output is kept, what had none is released. Safe to repeat, with less time.
   */
  async function stop(timeoutMs: number): Promise<void> {
    isStopping = true
    const timer = setTimeout(
      () => {
        for (const client of open.keys()) client.abort(stoppingError())
      },
      Math.max(0, timeoutMs),
    )
    await Promise.allSettled(open.values())
    clearTimeout(timer)
  }
}

export type Completions = ReturnType<typeof createCompletions>

function stoppingError(): ProviderError {
  return new ProviderError('unavailable', 'The service is stopping.')
}
