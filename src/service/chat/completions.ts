import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { ChatMessage } from '../../contract/chat.ts'
import { addHoldMargin, estimateTokens } from '../../contract/token-estimate.ts'
import type { Instance } from '../../database/instance.ts'
import { keep, release, settle } from '../ledger/end-hold.ts'
import { BalanceTooLowError, InvalidKeyError, RateLimitReachedError } from '../ledger/errors.ts'
import { hold, markFirstOutput } from '../ledger/hold.ts'
import type { RateLimit } from '../ledger/rate-limit.ts'
import type { Sql } from '../ledger/sql.ts'
import type { Metrics } from '../metrics.ts'
import {
  ProviderError,
  type ProviderFinish,
  type ProviderUsage,
  type TakeDelta,
} from '../providers/provider.ts'
import type { Endings } from './endings.ts'
import type { ServedModel } from './models.ts'
import { priceTokens } from './price.ts'

/** A chat request that was checked, and what it counts towards. */
export interface CheckedChat {
  accountId: number
  /** Of the API key it came with. It may not be valid any more: the hold proves it. */
  keyId: string
  /** What it counts towards. */
  limit: RateLimit
  model: ServedModel
  messages: readonly ChatMessage[]
  /** Of the messages, as estimated. */
  promptTokens: number
  maxTokens: number
  /** Aborted when the client has left; aborted by us when the service stops. */
  controller: AbortController
  /** Of the HTTP request, so that its lines carry the request's id. */
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

/** A request whose estimate is held, from the provider's first delta to its settlement. */
export interface Completion {
  requestId: string
  modelId: string
  /**
   * Has the provider answer, delta by delta.
   *
   * @throws {ProviderError} As the provider does. Throws the abort's reason when aborted.
   */
  stream(take: TakeDelta): Promise<ProviderFinish>
  /** Notes that output is about to go out. Await it before the first byte. */
  markFirstOutput(): Promise<void>
  /** Charges what the answer cost. The money has moved when it resolves. */
  settle(finish: ProviderFinish, content: string): Promise<CompletionCost>
  /** Ends the hold without an answer: kept if output went out, otherwise released. Safe to repeat. */
  giveUp(): Promise<void>
}

export interface CompletionCost {
  usage: ProviderUsage
  costMicroRub: bigint
}

export interface CompletionsDeps {
  sql: Sql
  instance: Pick<Instance, 'id' | 'leased'>
  endings: Endings
  metrics: Pick<Metrics, 'firstTokenCame' | 'tokensUsed' | 'moneyMoved'>
}

/**
 * Runs chat requests: estimate held → provider → settled. However a request ends, its hold ends
 * before `run()` does.
 */
export function createCompletions({ sql, instance, endings, metrics }: CompletionsDeps) {
  const open = new Map<AbortController, Promise<unknown>>()
  let isStopping = false
  return { run, stop }

  /**
   * Takes the estimate and has the answer written.
   *
   * @throws {InvalidKeyError} If the API key is revoked.
   * @throws {RateLimitReachedError} If the account has asked too often.
   * @throws {BalanceTooLowError} If the balance does not reach for the estimate.
   * @throws What `answer` throws; the hold has ended then.
   */
  async function run<T>(
    request: CheckedChat,
    answer: (completion: Completion) => Promise<T>,
  ): Promise<T> {
    const running = runToEnd(request, answer).finally(() => open.delete(request.controller))
    open.set(request.controller, running)
    return await running
  }

  async function runToEnd<T>(
    request: CheckedChat,
    answer: (completion: Completion) => Promise<T>,
  ): Promise<T> {
    const { accountId, keyId, limit, model, promptTokens, maxTokens, controller, log } = request
    if (isStopping) throw stoppingError()
    controller.signal.throwIfAborted()
    const requestId = randomUUID()
    const amountMicroRub = priceTokens(model, {
      promptTokens: addHoldMargin(promptTokens),
      completionTokens: maxTokens,
    })
    try {
      await hold(sql, {
        ...{ requestId, accountId, keyId, limit },
        ...{ model: model.id, amountMicroRub, leaseOwner: instance.id },
      })
    } catch (error) {
      // A connection that broke may have taken the estimate all the same.
      const isRefused =
        error instanceof InvalidKeyError ||
        error instanceof RateLimitReachedError ||
        error instanceof BalanceTooLowError
      if (!isRefused) await endings.write(() => release(sql, requestId), log)
      throw error
    }
    metrics.moneyMoved('held', amountMicroRub)
    const completion = openCompletion(request, { requestId, amountMicroRub })
    try {
      return await answer(completion)
    } finally {
      await completion.giveUp()
    }
  }

  function openCompletion(
    { model, messages, promptTokens, maxTokens, controller: { signal }, log }: CheckedChat,
    { requestId, amountMicroRub }: { requestId: string; amountMicroRub: bigint },
  ): Completion {
    let outputIsOut = false
    let ended = false
    return { requestId, modelId: model.id, stream, markFirstOutput: mark, settle: charge, giveUp }

    async function stream(take: TakeDelta): Promise<ProviderFinish> {
      await instance.leased()
      const askedMs = performance.now()
      let isFirst = true
      return model.provider.stream({ messages, maxTokens }, signal, (text) => {
        if (isFirst) {
          isFirst = false
          metrics.firstTokenCame(model.id, performance.now() - askedMs)
        }
        return take(text)
      })
    }

    async function mark(): Promise<void> {
      if (!(await markFirstOutput(sql, requestId))) throw lostHold()
      // A client that left meanwhile got nothing.
      signal.throwIfAborted()
      outputIsOut = true
    }

    async function charge(finish: ProviderFinish, content: string): Promise<CompletionCost> {
      const cost = finish.usage === undefined ? countCost(content) : costOf(finish.usage)
      const settlement = { requestId, costMicroRub: cost.costMicroRub, usage: cost.usage }
      if (!(await settle(sql, settlement))) throw lostHold()
      ended = true
      metrics.tokensUsed(model.id, cost.usage)
      metrics.moneyMoved('settled', cost.costMicroRub)
      return cost
    }

    async function giveUp(): Promise<void> {
      if (ended) return
      ended = true
      await endings.write(async () => {
        const isOurs = await (outputIsOut ? keep : release)(sql, requestId)
        if (isOurs) metrics.moneyMoved(outputIsOut ? 'kept' : 'released', amountMicroRub)
      }, log)
    }

    function costOf(usage: ProviderUsage): CompletionCost {
      return { usage, costMicroRub: priceTokens(model, usage) }
    }

    /** For a provider that does not say: counted here, and never more than what was held. */
    function countCost(content: string): CompletionCost {
      const { usage, costMicroRub } = costOf({
        promptTokens,
        completionTokens: estimateTokens(content),
      })
      log.warn(
        { requestId, model: model.id, usage },
        'provider sent no usage, tokens are estimated',
      )
      return { usage, costMicroRub: costMicroRub < amountMicroRub ? costMicroRub : amountMicroRub }
    }
  }

  /**
   * Refuses what comes and waits until the open requests have ended, up to `timeoutMs`; then breaks
   * off the rest, by rule: what had output is kept, what had none is released.
   */
  async function stop(timeoutMs: number): Promise<void> {
    isStopping = true
    const timer = setTimeout(() => {
      for (const controller of open.keys()) controller.abort(stoppingError())
    }, timeoutMs)
    await Promise.allSettled(open.values())
    clearTimeout(timer)
  }
}

export type Completions = ReturnType<typeof createCompletions>

function stoppingError(): ProviderError {
  return new ProviderError('unavailable', 'The service is stopping.')
}

/** Another process ended the hold: it took this one for dead while its connection was broken. */
function lostHold(): ProviderError {
  return new ProviderError('unavailable', 'The balance service lost sight of the request.')
}
