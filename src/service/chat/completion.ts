import type { FastifyBaseLogger } from 'fastify'
import { featuresOf, type OpenAiParameters, type PromptMessage } from '../../contract/openai.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { isOutcomeUnknown } from '../../platform/database/trouble.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { LimitStanding } from '../ledger/errors.ts'
import type { Repeatable } from '../ledger/holds.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RateLimit } from '../ledger/rate-window.ts'
import type { Metrics } from '../metrics.ts'
import { type ProviderFailure, toFailureLine } from '../providers/failure.ts'
import { GatheredAnswer } from '../providers/gathered-answer.ts'
import {
  type ProviderAnswer,
  type ProviderChatRequest,
  ProviderError,
  type ProviderFinish,
  type TakeDelta,
} from '../providers/provider.ts'
import { isLasting, type ProviderRefusal } from '../providers/standing.ts'
import { askInTurn, type FailureMeaning } from './ask-in-turn.ts'
import type { ChatClient } from './chat-client.ts'
import { ClientGoneError } from './client-gone-error.ts'
import type { Endings } from './endings.ts'
import { createHoldEnds } from './hold-ends.ts'
import type { ServedModel } from './models.ts'
import { type CompletionCost, createAnswerPrices } from './price-answer.ts'
import type { Upstream } from './upstreams.ts'

/** How long the last words of an answer wait for its settlement. After that the client reads the cost before it is stored. */
const SETTLE_WAIT_MS = 5_000
/** How long the first output waits for a database that is away. After that the request is refused. */
const FIRST_OUTPUT_WAIT_MS = 10_000

/** A checked chat request. */
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
  client: Pick<ChatClient, 'signal' | 'abort' | 'outlast' | 'hasLeft'>
  onStanding?(standing: LimitStanding): void
  onUpstream(name: string): void
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

/** A request whose estimate is held, from the provider's first delta to its settlement. */
export interface Completion {
  requestId: string
  modelId: string
  /**
   * Streams the answer of the model's upstreams, tried one after the other until the first delta.
   *
   * If the client leaves, the provider's request is aborted at once.
   *
   * @throws {ProviderError} The last upstream's error. Throws the abort's reason when aborted.
   */
  stream(take: TakeDelta): Promise<ProviderFinish>
  /**
   * Returns the whole answer of the model's upstreams, tried one after the other until one answers.
   *
   * If the client leaves, the answer has `LEFT_MS_MAX` to end, and is settled as any other answer.
   *
   * @throws As `stream()` does.
   */
  plain(): Promise<ProviderAnswer>
  /**
   * Records that output is about to go out. Await it before the first byte. Where it throws nothing may go out but a
   * refusal, and that once `refusable()` resolves: the hold is given back.
   */
  markFirstOutput(): Promise<void>
  /**
   * Charges what the answer cost. The money has moved when it resolves; where the database is away for longer than a
   * client waits, it moves later.
   *
   * @param toBody Makes the body of a plain answer, which a repeat is given.
   */
  settle(finish: ProviderFinish, toBody?: (cost: CompletionCost) => object): Promise<CompletionCost>
  /**
   * Ends the hold without an answer. Safe to repeat.
   *
   * After output went out the hold is captured. If the client left while a provider had its request, the prompt's estimate
   * is charged. In all other cases the hold is released.
   */
  giveUp(): Promise<void>
  /**
   * Resolves when a refusal is true whatever happens: at once, unless it may be stored that output was about to go out.
   * Then the crash rule would capture the hold of a process that ends here, so that the release comes first.
   *
   * @throws {UnsureEndError} If that takes too long. Nothing may be told then.
   */
  refusable(): Promise<void>
}

export interface CompletionDeps {
  ledger: Ledger
  instance: Pick<Instance, 'leased'>
  endings: Endings
  metrics: Pick<
    Metrics,
    | 'answerBegan'
    | 'providerFailed'
    | 'firstTokenCame'
    | 'plainAnswerCame'
    | 'tokensUsed'
    | 'moneyMoved'
    | 'usageDisbelieved'
  >
  onProviderRefused?: ((refusal: ProviderRefusal) => void) | undefined
}

/** Asks one upstream. It calls `onAnswer` when the answer begins: no other upstream is asked from then on. */
type Ask<T> = (upstream: Upstream, onAnswer: () => void) => Promise<T>

/** What became of a failure. `adjusted`: the upstream is asked again at once in the form that it wants. */
type Consequence = FailureMeaning | 'adjusted'

const FAILURES: Readonly<Record<Consequence, string>> = {
  adjusted: 'upstream refused the form of a request, it is asked in another',
  retried: 'upstream failed, another try follows',
  rejected: 'upstream refused the request',
  unavailable: 'upstream failed, the request is refused',
  broken: 'upstream broke off its answer',
}

/** @param held What was taken for the request, and for how many tokens. */
export function openCompletion(
  chat: CheckedChat,
  { requestId, held }: { requestId: string; held: CompletionCost },
  { ledger, instance, endings, metrics, onProviderRefused = () => {} }: CompletionDeps,
): Completion {
  const { accountId, model, promptTokens, client, log } = chat
  const ends = createHoldEnds({
    accountId,
    requestId,
    modelId: model.id,
    held,
    endings,
    metrics,
    log,
  })
  const prices = createAnswerPrices({ requestId, model, promptTokens, held, metrics, log })
  const { signal } = client
  let upstream: Upstream | undefined
  let outputIsOut = false
  let mayBeMarked = false
  let releasing: Promise<void> | undefined
  let ended = false
  /** A provider has the request and has not failed: it charges at least the prompt. */
  let isSent = false
  const gathered = new GatheredAnswer()
  return {
    requestId,
    modelId: model.id,
    stream,
    plain,
    markFirstOutput: mark,
    settle: charge,
    giveUp,
    refusable,
  }

  async function stream(take: TakeDelta): Promise<ProviderFinish> {
    return await inTurn(streaming(take))
  }

  async function plain(): Promise<ProviderAnswer> {
    const gather = streaming(() => undefined)
    return await inTurn(async (asking, onAnswer) => {
      const { plain: answerWhole } = asking.provider
      if (answerWhole === undefined) {
        const finish = await client.outlast(() => gather(asking, onAnswer))
        return { answer: gathered, ...finish }
      }
      const askedMs = performance.now()
      const whole = await client.outlast(() => answerWhole(toAsked(asking), signal))
      const answering = { model: model.id, upstream: asking.name }
      metrics.plainAnswerCame(answering, performance.now() - askedMs)
      gathered.add(whole.answer)
      recordUpstream(asking)
      return whole
    })
  }

  async function inTurn<T>(ask: Ask<T>): Promise<T> {
    const askLeased: Ask<T> = async (asked, onAnswer) => {
      await instance.leased()
      signal.throwIfAborted()
      isSent = true
      upstream = asked
      try {
        return await ask(asked, onAnswer)
      } catch (error) {
        if (error !== signal.reason && !isTimeOut(error)) isSent = false
        throw error
      }
    }
    const features = featuresOf(chat.parameters ?? {})
    return await askInTurn(model, askLeased, { signal, features, onFailure: reportFailure })
  }

  function streaming(take: TakeDelta): Ask<ProviderFinish> {
    const askedMs = performance.now()
    return async (asking, onAnswer) => {
      const { provider } = asking
      let isFirst = true
      const finish = await provider.stream(toAsked(asking), signal, (delta) => {
        if (isFirst) {
          isFirst = false
          onAnswer()
          recordUpstream(asking)
          metrics.firstTokenCame(model.id, performance.now() - askedMs)
        }
        gathered.add(delta)
        return take(delta)
      })
      if (isFirst) recordUpstream(asking)
      return finish
    }
  }

  function toAsked(asking: Upstream): ProviderChatRequest {
    const { messages, maxTokens, parameters } = chat
    const onAdjusted = (refusal: ProviderFailure) => reportFailure(asking, refusal, 'adjusted')
    return { messages, maxTokens, parameters, onAdjusted }
  }

  function recordUpstream(answering: Upstream): void {
    metrics.answerBegan({ model: model.id, upstream: answering.name })
    chat.onUpstream(answering.name)
  }

  /**
   * Counts a failure and logs its reason, which the client does not read. The line is an error where a client
   * went without an answer, or the operator has something to mend: a key, a balance, a model's name. That is reported.
   */
  function reportFailure(
    { name, standing }: Upstream,
    failure: ProviderFailure,
    meaning: Consequence,
  ): void {
    metrics.providerFailed({ model: model.id, upstream: name, kind: failure.kind })
    const line = toFailureLine({ model: model.id, upstream: name, accountId, requestId }, failure)
    const isRefused = (meaning === 'unavailable' || meaning === 'retried') && isLasting(failure)
    const isError = meaning === 'unavailable' || isRefused
    log[isError ? 'error' : 'warn'](line, FAILURES[meaning])
    if (isRefused) {
      onProviderRefused({ model: model.id, upstream: name, failure, workedAt: standing.workedAt() })
    }
  }

  async function mark(): Promise<void> {
    const isMarked = await retryUntilStored(tryMark, {
      clock: systemClock,
      signal,
      waitMs: FIRST_OUTPUT_WAIT_MS,
    })
    if (!isMarked) throw lostHold()
    // A client that left meanwhile got nothing.
    signal.throwIfAborted()
    outputIsOut = true
  }

  async function tryMark(): Promise<boolean> {
    const mightBeMarked = mayBeMarked
    // Who is aborted gives up while this is under way.
    mayBeMarked = true
    try {
      return await ledger.markOutput({ accountId, requestId, upstream: upstream?.name })
    } catch (error) {
      mayBeMarked = mightBeMarked || isOutcomeUnknown(error)
      throw error
    }
  }

  async function charge(
    { usage, unknownReason }: ProviderFinish,
    toBody: (cost: CompletionCost) => object | undefined = () => undefined,
  ): Promise<CompletionCost> {
    if (unknownReason !== undefined) {
      const line = { requestId, model: model.id, upstream: upstream?.name, unknownReason }
      log.warn(line, 'provider ended its answer for an unknown reason')
    }
    const charge = prices.ofAnswer(usage, gathered.written)
    const answer = chat.repeatable && toBody(charge)
    ended = true
    const isStored = await ends.settleAt(charge, { upstream, answer }, SETTLE_WAIT_MS)
    if (isStored === false) {
      ended = false
      throw lostHold()
    }
    return charge
  }

  async function giveUp(): Promise<void> {
    if (ended) return
    ended = true
    const hasLeft = signal.reason instanceof ClientGoneError
    if (outputIsOut) await ends.captureIt(hasLeft ? 'left' : 'broken', upstream)
    else if (client.hasLeft && isSent) await ends.settleAt(prices.ofPrompt(), { upstream }, 0)
    else await release(hasLeft ? 'left' : 'failed')
  }

  async function release(reason: 'left' | 'failed'): Promise<void> {
    if (!mayBeMarked) await ends.releaseIt(reason)
    else {
      releasing = ends.releaseFirst(reason)
      // Who refuses waits for it.
      releasing.catch(() => {})
    }
  }

  async function refusable(): Promise<void> {
    await releasing
  }
}

/** After a time-out the provider may have worked on the request, and charge for it. */
function isTimeOut(error: unknown): boolean {
  return error instanceof ProviderError && error.failure?.kind === 'timed_out'
}

/** Another process ended the hold: it took this one for dead while its connection was broken. */
function lostHold(): ProviderError {
  return new ProviderError('unavailable', 'The balance service lost sight of the request.')
}
