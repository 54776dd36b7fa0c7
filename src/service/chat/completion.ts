import type { FastifyBaseLogger } from 'fastify'
import type { PromptMessage } from '../../contract/chat.ts'
import { formatRub } from '../../contract/money.ts'
import type { OpenAiParameters } from '../../contract/openai/chat-request.ts'
import { estimateTokens } from '../../contract/token-estimate.ts'
import type { Instance } from '../../database/instance.ts'
import { keep, release, settle } from '../ledger/end-hold.ts'
import { markFirstOutput } from '../ledger/hold.ts'
import type { RateLimit } from '../ledger/rate-limit.ts'
import type { Sql } from '../ledger/sql.ts'
import type { Metrics } from '../metrics.ts'
import { type ProviderFailure, toFailureLine } from '../providers/failure.ts'
import {
  ProviderError,
  type ProviderFinish,
  type ProviderUsage,
  type TakeDelta,
} from '../providers/provider.ts'
import { askInTurn, type FailureMeaning } from './ask-in-turn.ts'
import { ClientGoneError } from './client-gone-error.ts'
import type { Endings } from './endings.ts'
import { judgeUsage } from './judge-usage.ts'
import type { ServedModel } from './models.ts'
import { priceTokens } from './price.ts'
import { UnsureOutputError } from './unsure-output-error.ts'
import type { Upstream } from './upstreams.ts'

/** A chat request that was checked, and what it counts towards. */
export interface CheckedChat {
  accountId: number
  /** Of the API key it came with. It may not be valid any more: the hold proves it. */
  keyId: string
  /** What it counts towards. */
  limit: RateLimit
  model: ServedModel
  messages: readonly PromptMessage[]
  /** Of the messages, as estimated. */
  promptTokens: number
  maxTokens: number
  /** What the provider is asked besides. */
  parameters?: OpenAiParameters | undefined
  /** Aborted when the client has left; aborted by us when the service stops. */
  controller: AbortController
  /** Told which upstream answers, once one does. */
  noteUpstream(name: string): void
  /** Of the HTTP request, so that its lines carry the request's id. */
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

/** Tokens, and what they cost. */
export interface CompletionCost {
  usage: ProviderUsage
  costMicroRub: bigint
}

/** A request whose estimate is held, from the provider's first delta to its settlement. */
export interface Completion {
  requestId: string
  modelId: string
  /**
   * Has the model's upstreams answer, delta by delta: one after the other until the first delta.
   *
   * @throws {ProviderError} As the last of them does. Throws the abort's reason when aborted.
   */
  stream(take: TakeDelta): Promise<ProviderFinish>
  /**
   * Notes that output is about to go out. Await it before the first byte.
   *
   * @throws {UnsureOutputError} If it may have been noted: the hold is kept as if output had gone out.
   */
  markFirstOutput(): Promise<void>
  /** Charges what the answer cost. The money has moved when it resolves. */
  settle(finish: ProviderFinish, content: string): Promise<CompletionCost>
  /**
   * Charges the prompt and what had come of the answer, as counted here, at most what was held: for a
   * client that did not wait for the rest. Never throws.
   */
  settleCut(content: string): Promise<void>
  /** Ends the hold without an answer: kept if output went out, otherwise released. Safe to repeat. */
  giveUp(): Promise<void>
}

export interface CompletionDeps {
  sql: Sql
  instance: Pick<Instance, 'leased'>
  endings: Endings
  metrics: Pick<
    Metrics,
    | 'answerBegan'
    | 'providerFailed'
    | 'firstTokenCame'
    | 'tokensUsed'
    | 'moneyMoved'
    | 'usageDisbelieved'
    | 'clientLeftEarly'
  >
}

const FAILURES: Readonly<Record<FailureMeaning, string>> = {
  retried: 'upstream failed, another try follows',
  rejected: 'upstream refused the request',
  unavailable: 'upstream failed, the request is refused',
  broken: 'upstream broke off its answer',
}

/** @param held What was taken for the request, and for how many tokens. */
export function openCompletion(
  chat: CheckedChat,
  { requestId, held }: { requestId: string; held: CompletionCost },
  { sql, instance, endings, metrics }: CompletionDeps,
): Completion {
  const { accountId, model, promptTokens, controller, log } = chat
  const { messages, maxTokens, parameters } = chat
  const { signal } = controller
  let upstream: string | undefined
  let outputIsOut = false
  let ended = false
  return {
    ...{ requestId, modelId: model.id },
    ...{ stream, markFirstOutput: mark, settle: charge, settleCut, giveUp },
  }

  async function stream(take: TakeDelta): Promise<ProviderFinish> {
    const askedMs = performance.now()
    return await askInTurn(model, ask, { signal, onFailure: tellFailure })

    async function ask({ name, provider }: Upstream, noteAnswer: () => void) {
      await instance.leased()
      let isFirst = true
      const finish = await provider.stream({ messages, maxTokens, parameters }, signal, (text) => {
        if (isFirst) {
          isFirst = false
          noteAnswer()
          noteUpstream(name)
          metrics.firstTokenCame(model.id, performance.now() - askedMs)
        }
        return take(text)
      })
      if (isFirst) noteUpstream(name)
      return finish
    }
  }

  function noteUpstream(name: string): void {
    upstream = name
    metrics.answerBegan({ model: model.id, upstream: name })
    chat.noteUpstream(name)
  }

  /**
   * The one line of the log that tells why: what the client reads does not. It is an error where a client
   * went without an answer, or the operator has something to mend: a key, a balance, a model's name.
   */
  function tellFailure(
    { name }: Upstream,
    failure: ProviderFailure,
    meaning: FailureMeaning,
  ): void {
    metrics.providerFailed({ model: model.id, upstream: name, kind: failure.kind })
    const line = toFailureLine({ model: model.id, upstream: name, accountId, requestId }, failure)
    const isForOperator = failure.kind === 'unauthorized' || failure.kind === 'refused'
    const isError = meaning === 'unavailable' || (meaning === 'retried' && isForOperator)
    log[isError ? 'error' : 'warn'](line, FAILURES[meaning])
  }

  async function mark(): Promise<void> {
    const isMarked = await markFirstOutput(sql, requestId, upstream).catch((error: unknown) => {
      outputIsOut = true
      throw new UnsureOutputError(error)
    })
    if (!isMarked) throw lostHold()
    // A client that left meanwhile got nothing.
    signal.throwIfAborted()
    outputIsOut = true
  }

  async function charge({ usage }: ProviderFinish, content: string): Promise<CompletionCost> {
    const cost = usage === undefined ? costUntold(content) : costTold(usage)
    if (!(await settle(sql, { requestId, upstream, ...cost }))) throw lostHold()
    ended = true
    noteSettled(cost)
    return cost
  }

  async function settleCut(content: string): Promise<void> {
    if (ended) return
    ended = true
    const cost = count(content)
    await endings.write(async () => {
      if (await settle(sql, { requestId, upstream, ...cost })) noteSettled(cost)
    }, log)
  }

  async function giveUp(): Promise<void> {
    if (ended) return
    ended = true
    if (!outputIsOut && signal.reason instanceof ClientGoneError) metrics.clientLeftEarly(accountId)
    await endings.write(async () => {
      const isOurs = await (outputIsOut ? keep : release)(sql, requestId)
      if (isOurs) metrics.moneyMoved(outputIsOut ? 'kept' : 'released', held.costMicroRub)
    }, log)
  }

  /** What is not believed costs what was held, and counts for as many tokens. */
  function costTold(usage: ProviderUsage): CompletionCost {
    const verdict = judgeUsage(usage, { model, heldMicroRub: held.costMicroRub })
    if (verdict.isBelieved) return { usage, costMicroRub: verdict.costMicroRub }
    const { reason, costMicroRub } = verdict
    metrics.usageDisbelieved(model.id, reason)
    log.warn(
      {
        ...{ requestId, model: model.id, reason, usage },
        toldRub: costMicroRub === undefined ? undefined : formatRub(costMicroRub),
        heldRub: formatRub(held.costMicroRub),
      },
      'provider told a usage that cannot be true, the hold is charged',
    )
    return held
  }

  function costUntold(content: string): CompletionCost {
    const cost = count(content)
    log.warn(
      { requestId, model: model.id, usage: cost.usage },
      'provider sent no usage, tokens are estimated',
    )
    return cost
  }

  /** Counted here, and never more than what was held. */
  function count(content: string): CompletionCost {
    const usage = { promptTokens, completionTokens: estimateTokens(content) }
    const counted = { usage, costMicroRub: priceTokens(model, usage) }
    return counted.costMicroRub < held.costMicroRub ? counted : held
  }

  function noteSettled({ usage, costMicroRub }: CompletionCost): void {
    metrics.tokensUsed(model.id, usage)
    metrics.moneyMoved('settled', costMicroRub)
  }
}

/** Another process ended the hold: it took this one for dead while its connection was broken. */
function lostHold(): ProviderError {
  return new ProviderError('unavailable', 'The balance service lost sight of the request.')
}
