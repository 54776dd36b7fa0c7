/**
 * One chat request: hold → provider → first output → settle or give up.
 *
 * In: a checked chat and its client. Out: the answer, whole or delta by delta, with its cost; or a refusal.
 * Invariant: the estimate is held before a provider is called, and however the request ends, its hold ends once:
 * settled on its usage; captured if output went out; settled at the prompt's estimate if the client left while a
 * provider had the request; else released.
 */
import type { FastifyBaseLogger } from 'fastify'
import { formatRub } from '../../contract/money.ts'
import type { OpenAiParameters, PromptMessage } from '../../contract/openai.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { isOutcomeUnknown } from '../../platform/database/trouble.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { HoldEnd } from '../ledger/ends.ts'
import { RequestRefusedError } from '../ledger/errors.ts'
import { createRequestId, type Held, type HoldRequest, type Repeatable } from '../ledger/holds.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { pricesAt } from '../ledger/price-tokens.ts'
import type { RateLimit } from '../ledger/rate-window.ts'
import type { Metrics } from '../metrics.ts'
import {
  isLasting,
  type LastingRefusal,
  type ProviderFailure,
  toFailureLine,
} from '../providers/failure.ts'
import {
  type AnswerPiece,
  joinPieces,
  ProviderError,
  type ProviderFinish,
  type TakePieces,
  writtenIn,
} from '../providers/provider.ts'
import { type ChatClient, ClientGoneError } from './chat-client.ts'
import type { ServedModel } from './models.ts'
import { type Charge, type CompletionCost, priceAnswer, priceHold, pricePrompt } from './price.ts'
import type { Unsettled } from './unsettled.ts'
import { askInTurn, type FailureMeaning, type Upstream } from './upstreams.ts'

/** How long the last words of an answer wait for its settlement. After that the client reads the cost before it is stored. */
const SETTLE_WAIT_MS = 5_000
/** How long the first output waits for a database that is away. After that the request is refused. */
const FIRST_OUTPUT_WAIT_MS = 10_000

export interface CheckedChat {
  accountId: number
  /** The public id of its API key. The key may have become invalid: the hold proves it. */
  keyId: string
  limit: RateLimit
  model: ServedModel
  messages: readonly PromptMessage[]
  promptTokens: number
  maxTokens: number
  parameters?: OpenAiParameters | undefined
  repeatable?: Repeatable | undefined
  client: ChatClient
  onUpstream(name: string): void
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export interface RunContext {
  ledger: Ledger
  instance: Pick<Instance, 'id' | 'leased'>
  unsettled: Unsettled
  metrics: Metrics
  onProviderRefused?: ((refusal: LastingRefusal) => void) | undefined
}

/** The consequence of a failure. `adjusted`: the upstream is asked again at once in the form that it wants. */
type Consequence = FailureMeaning | 'adjusted'

const FAILURES: Readonly<Record<Consequence, string>> = {
  adjusted: 'upstream refused the form of a request, it is asked in another',
  retried: 'upstream failed, another try follows',
  rejected: 'upstream refused the request',
  unavailable: 'upstream failed, the request is refused',
  broken: 'upstream broke off its answer',
}

const DOUBTS: Readonly<Partial<Record<Charge['reason'], string>>> = {
  counted: 'provider sent no usage, tokens are estimated',
  disbelieved: 'provider reported a usage that cannot be true, the hold is charged',
}

export class CompletionRun {
  readonly requestId = createRequestId()
  readonly #chat: CheckedChat
  readonly #context: RunContext
  readonly #model: ServedModel
  readonly #held: CompletionCost
  /** `sent`: a provider has the request and has not failed, it charges at least the prompt. `output`: the client may read some. */
  #stage: 'unheld' | 'held' | 'sent' | 'output' | 'ended' = 'unheld'
  /** The crash rule may find that output was about to go out. */
  #mayBeMarked = false
  #upstream: Upstream | undefined
  #firstAskedMs: number | undefined
  #pieces: AnswerPiece[] = []
  #releasing: Promise<void> | undefined

  constructor(chat: CheckedChat, context: RunContext) {
    const { model } = chat
    this.#chat = chat
    this.#context = context
    this.#model = { ...model, prices: pricesAt(model.prices, new Date()) }
    this.#held = priceHold(this.#model, chat)
  }

  get modelId(): string {
    return this.#model.id
  }

  async hold(): Promise<Held> {
    const { accountId, keyId, limit, repeatable, log } = this.#chat
    const { ledger, instance, unsettled, metrics } = this.#context
    const request: HoldRequest = {
      requestId: this.requestId,
      accountId,
      keyId,
      limit,
      model: this.#model.id,
      amountMicroRub: this.#held.costMicroRub,
      prices: this.#model.prices,
      usdMicroRub: this.#model.usdMicroRub,
      leaseOwner: instance.id,
      repeatable,
    }
    try {
      const held = await ledger.hold(request)
      if (held.answer !== undefined) return held
      metrics.moneyMoved('held', this.#held.costMicroRub)
      this.#stage = 'held'
      return held
    } catch (error) {
      if (!(error instanceof RequestRefusedError) && isOutcomeUnknown(error)) {
        const withdraw = (ledger: Ledger) => ledger.withdraw(request).then(() => true)
        void unsettled.store(withdraw, { log })
      }
      throw error
    }
  }

  /** Returns the whole answer of the first upstream that gives it. After the client left it has `LEFT_MS_MAX`. */
  async plain(): Promise<ProviderFinish & { answer: AnswerPiece }> {
    const finish = await this.stream()
    return { ...finish, answer: joinPieces(this.#pieces) }
  }

  /** Records that output is about to go out. If it throws, only a refusal may go out, once `refusable()` resolves. */
  async markOutput(): Promise<void> {
    const { signal } = this.#chat.client
    const isMarked = await retryUntilStored(() => this.#tryMark(), {
      clock: systemClock,
      signal,
      waitMs: FIRST_OUTPUT_WAIT_MS,
    })
    if (!isMarked) throw lostHold()
    // A client that left meanwhile got nothing.
    signal.throwIfAborted()
    this.#stage = 'output'
  }

  /** Charges the answer, later if the database is away for longer than a client waits. Repeats get what `toBody` makes. */
  async settle(
    finish: ProviderFinish,
    toBody: (cost: CompletionCost) => object | undefined = () => undefined,
  ): Promise<CompletionCost> {
    const write = () => writtenIn(joinPieces(this.#pieces))
    const charge = priceAnswer(this.#toPriced(), finish.usage, write)
    this.#logDoubts(finish, charge)
    const answer = this.#chat.repeatable && toBody(charge)
    const stage = this.#stage
    this.#stage = 'ended'
    const isStored = await this.#end({ ...this.#toSettled(charge), answer }, SETTLE_WAIT_MS)
    if (isStored === false) {
      this.#stage = stage
      throw lostHold()
    }
    return charge
  }

  /** Ends the hold without an answer, by the rules of this file. Safe to repeat. */
  async giveUp(): Promise<void> {
    const stage = this.#stage
    if (stage === 'unheld' || stage === 'ended') return
    this.#stage = 'ended'
    const { client, log } = this.#chat
    const hasLeft = client.signal.reason instanceof ClientGoneError
    if (stage === 'output') {
      await this.#end({ state: 'captured', reason: hasLeft ? 'left' : 'broken' })
    } else if (stage === 'sent' && client.hasLeft) {
      await this.#end(this.#toSettled(pricePrompt(this.#toPriced())))
    } else {
      const release = { state: 'released', reason: hasLeft ? 'left' : 'failed' } as const
      if (!this.#mayBeMarked) await this.#end(release)
      else {
        this.#releasing = this.#context.unsettled.storeFirst(
          (ledger) => this.#store(ledger, release),
          { log },
        )
        this.#releasing.catch(() => {})
      }
    }
  }

  /**
   * Resolves when a refusal is true: if the crash rule might find the mark of output, the release is stored first.
   * @throws {UnsureEndError} If that takes too long. No status would be true then.
   */
  async refusable(): Promise<void> {
    await this.#releasing
  }

  /** Streams the answer of the first upstream that gives a piece. If the client leaves, it is aborted at once. */
  async stream(take?: TakePieces): Promise<ProviderFinish> {
    const { client } = this.#chat
    return await askInTurn(
      this.#model.upstreams,
      (upstream, onAnswer) => this.#ask(upstream, onAnswer, take),
      {
        signal: client.signal,
        onFailure: (upstream, failure, meaning) => this.#reportFailure(upstream, failure, meaning),
      },
    )
  }

  async #ask(
    upstream: Upstream,
    onAnswer: () => void,
    take: TakePieces | undefined,
  ): Promise<ProviderFinish> {
    const { client, messages, maxTokens, parameters } = this.#chat
    const { signal } = client
    await this.#context.instance.leased()
    signal.throwIfAborted()
    this.#stage = 'sent'
    this.#upstream = upstream
    this.#pieces = []
    const askedMs = performance.now()
    this.#firstAskedMs ??= askedMs
    const onAdjusted = (refusal: ProviderFailure) =>
      this.#reportFailure(upstream, refusal, 'adjusted')
    const request = { messages, maxTokens, parameters, isPlain: take === undefined, onAdjusted }
    const ask = () =>
      upstream.provider.answer(request, signal, (pieces) => {
        if (take !== undefined && this.#pieces.length === 0) {
          onAnswer()
          this.#recordFirst(upstream)
        }
        this.#pieces.push(...pieces)
        return take?.(pieces)
      })
    try {
      if (take === undefined) {
        const finish = await client.outlast(ask)
        const answering = this.#recordUpstream(upstream)
        this.#context.metrics.plainAnswerCame(answering, performance.now() - askedMs)
        return finish
      }
      const finish = await ask()
      if (this.#pieces.length === 0) this.#recordUpstream(upstream)
      return finish
    } catch (error) {
      const hasFailed = error !== signal.reason && !isTimeOut(error)
      if (hasFailed && this.#stage === 'sent') this.#stage = 'held'
      throw error
    }
  }

  #recordFirst(upstream: Upstream): void {
    const { model } = this.#recordUpstream(upstream)
    const waitedMs = performance.now() - (this.#firstAskedMs ?? 0)
    this.#context.metrics.firstTokenCame(model, waitedMs)
  }

  #recordUpstream({ name }: Upstream): { model: string; upstream: string } {
    const answering = { model: this.#model.id, upstream: name }
    this.#context.metrics.answerBegan(answering)
    this.#chat.onUpstream(name)
    return answering
  }

  /** Reports a failure: as an error if a client went without an answer, or the operator has something to fix. */
  #reportFailure({ name }: Upstream, failure: ProviderFailure, meaning: Consequence): void {
    const { metrics, onProviderRefused } = this.#context
    const { accountId, log } = this.#chat
    const about = { model: this.#model.id, upstream: name }
    metrics.providerFailed({ ...about, kind: failure.kind })
    const line = toFailureLine({ ...about, accountId, requestId: this.requestId }, failure)
    const isRefused = (meaning === 'unavailable' || meaning === 'retried') && isLasting(failure)
    const isError = meaning === 'unavailable' || isRefused
    log[isError ? 'error' : 'warn'](line, FAILURES[meaning])
    if (isRefused) onProviderRefused?.({ ...about, failure })
  }

  async #tryMark(): Promise<boolean> {
    const mightBeMarked = this.#mayBeMarked
    // A client that leaves while this is under way gives up.
    this.#mayBeMarked = true
    const { requestId } = this
    const upstream = this.#upstream?.name
    try {
      const output = { accountId: this.#chat.accountId, requestId, upstream }
      return await this.#context.ledger.markOutput(output)
    } catch (error) {
      this.#mayBeMarked = mightBeMarked || isOutcomeUnknown(error)
      throw error
    }
  }

  #logDoubts({ usage }: ProviderFinish, charge: Charge): void {
    const { log } = this.#chat
    const { reason, disbelief } = charge
    const line = {
      requestId: this.requestId,
      model: this.#model.id,
      upstream: this.#upstream?.name,
    }
    if (disbelief !== undefined) this.#context.metrics.usageDisbelieved(line.model, disbelief)
    const doubt = DOUBTS[reason]
    if (doubt !== undefined) {
      const heldRub = formatRub(this.#held.costMicroRub)
      log.warn({ ...line, reason: disbelief, usage: usage ?? charge.usage, heldRub }, doubt)
    }
    if (usage?.reportedCostUsd !== undefined && charge.reportedCostMicroRub === undefined) {
      const { reportedCostUsd } = usage
      const message = 'provider reported a cost that cannot be true, it is ignored'
      log.warn({ ...line, reportedCostUsd }, message)
    }
  }

  #toPriced() {
    const { promptTokens } = this.#chat
    return { model: this.#model, promptTokens, held: this.#held }
  }

  #toSettled(charge: Charge): End {
    return { ...charge, state: 'settled', upstream: this.#upstream?.name }
  }

  #end(end: End, waitMs?: number): Promise<boolean | undefined> {
    const { log } = this.#chat
    return this.#context.unsettled.store((ledger) => this.#store(ledger, end), { log, waitMs })
  }

  async #store(ledger: Ledger, end: End): Promise<boolean> {
    const { metrics } = this.#context
    const { accountId } = this.#chat
    const isStored = await ledger.end({ ...end, accountId, requestId: this.requestId })
    if (!isStored) return false
    if (end.usage !== undefined) metrics.tokensUsed(this.#model.id, end.usage)
    metrics.moneyMoved(end.state, end.costMicroRub ?? this.#held.costMicroRub)
    return true
  }
}

type End = Omit<HoldEnd, 'accountId' | 'requestId'>

/** After a time-out the provider may have worked on the request, and charge for it. */
function isTimeOut(error: unknown): boolean {
  return error instanceof ProviderError && error.failure?.kind === 'timed_out'
}

/** Another process ended the request: it took this one for dead while its connection was broken. */
function lostHold(): ProviderError {
  return new ProviderError('unavailable', 'The balance service lost sight of the request.')
}
