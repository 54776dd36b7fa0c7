import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { ModelInfo } from '../contract/client/read-answers.ts'
import type { ServiceClient } from '../contract/client/service-client.ts'
import type { ServiceError, ServiceErrorCode } from '../contract/client/service-error.ts'
import type { Clock } from '../platform/time/clock.ts'
import { backoffMs, retry } from '../platform/time/retry.ts'
import { errorFacts } from './telegram/errors.ts'

const TOKENS_PER_PRICE = 1_000_000n

export class NoModelError extends Error {
  override readonly name = 'NoModelError'
  readonly code = 'no_model'

  constructor() {
    super('Cannot choose model: the service lists none')
  }
}

export function toUnavailableText(error: ServiceError): UnavailableText {
  const isMisconfigured = MISCONFIGURED.includes(error.code)
  return isMisconfigured ? 'service-misconfigured' : 'service-unavailable'
}
/** Waiting does not help: the key or the address must be fixed. */
const MISCONFIGURED: ServiceErrorCode[] = ['unauthorized', 'not_this_service', 'unexpected_answer']
export type UnavailableText = 'service-misconfigured' | 'service-unavailable'

export type ModelPrices = Pick<ModelInfo, 'promptMicroRubPer1m' | 'completionMicroRubPer1m'>

/** The chosen model answers if it is offered. */
export interface ModelChoice {
  /** Undefined: any. */
  offered?: readonly string[] | undefined
  otherwise: string
}

interface Tokens {
  promptTokens: number
  completionTokens: number
}

export interface ModelsDeps {
  service: Pick<ServiceClient, 'models'>
  defaultModel?: string | undefined
  clock: Clock
  log: Logger
}

export function createModels({ service, defaultModel, clock, log }: ModelsDeps) {
  let models: readonly ModelInfo[] = []
  const {
    start,
    stop,
    refresh,
    signal: stopped,
  } = createFresh({ name: 'models', load, clock, log })
  return {
    start,
    stop,
    refresh,
    ready,
    listed,
    load,
    known,
    choose,
    choice,
    cheapest,
    price,
    pricesOf,
    contextTokens,
    thinkingTokens,
  }

  async function ready(): Promise<void> {
    if (defaultModel === undefined) await listed()
  }

  async function listed(): Promise<void> {
    if (models.length === 0) await load(stopped)
  }

  async function load(signal?: AbortSignal): Promise<readonly ModelInfo[]> {
    models = await service.models({ signal })
    return models
  }

  function known(): readonly ModelInfo[] {
    return models
  }

  /** @throws {NoModelError} If the service lists no model and none is set. */
  function choose(chosen: string | null): string {
    const isOffered = models.length === 0 || models.some(({ id }) => id === chosen)
    const model = (isOffered ? chosen : null) ?? defaultModel ?? models[0]?.id
    if (model === undefined) throw new NoModelError()
    return model
  }

  function choice(): ModelChoice {
    const offered = models.length === 0 ? undefined : models.map(({ id }) => id)
    return { offered, otherwise: choose(null) }
  }

  function cheapest(tokens: Tokens, contextTokensMin: number): string | undefined {
    const fitting = models.filter(
      ({ contextTokens = 0, ...prices }) =>
        contextTokens >= contextTokensMin &&
        prices.promptMicroRubPer1m !== undefined &&
        prices.completionMicroRubPer1m !== undefined,
    )
    const priced = fitting.map(({ id }) => ({ id, microRub: price(id, tokens) }))
    return priced.reduce<(typeof priced)[number] | undefined>(
      (least, one) => (least === undefined || one.microRub < least.microRub ? one : least),
      undefined,
    )?.id
  }

  function contextTokens(model: string): number | undefined {
    return models.find(({ id }) => id === model)?.contextTokens
  }

  function thinkingTokens(model: string): number {
    return models.find(({ id }) => id === model)?.thinkingTokens ?? 0
  }

  function pricesOf(model: string): ModelPrices {
    return models.find(({ id }) => id === model) ?? {}
  }

  /** Computes the price of so many tokens, rounded half up; 0 for a model whose prices are not known. */
  function price(model: string, tokens: Tokens): bigint {
    const { promptMicroRubPer1m = 0n, completionMicroRubPer1m = 0n } = pricesOf(model)
    const sum =
      promptMicroRubPer1m * BigInt(tokens.promptTokens) +
      completionMicroRubPer1m * BigInt(tokens.completionTokens)
    return (sum + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE
  }
}

export type Models = ReturnType<typeof createModels>

const REFRESH_MS = 600_000
const BACKOFF = { firstMs: 1000, maxMs: 30_000 }

export interface FreshDeps {
  name: string
  load: (signal: AbortSignal) => Promise<unknown>
  clock: Clock
  log: Logger
}

/** Repeats `load` every ten minutes and on `refresh()`, with retries. */
export function createFresh({ name, load, clock, log }: FreshDeps) {
  const stopped = new AbortController()
  const { signal } = stopped
  let pause = new AbortController()
  return { start, stop, refresh, signal }

  function start(): void {
    void keepFresh()
  }

  function refresh(): void {
    pause.abort()
  }

  function stop(): void {
    stopped.abort()
  }

  async function keepFresh(): Promise<void> {
    try {
      for (;;) {
        // A request during a load may come too late for that load.
        pause = new AbortController()
        await retry(() => load(signal), { clock, signal, delayAfter })
        const woken = AbortSignal.any([signal, pause.signal])
        await clock.sleep(REFRESH_MS, woken).catch(() => signal.throwIfAborted())
      }
    } catch {
      // Only the end of the bot leads here.
    }
  }

  function delayAfter(error: unknown, attempts: number): number {
    const delayMs = backoffMs(BACKOFF, attempts)
    log.warn({ ...errorFacts(error), delayMs }, `${name} not loaded`)
    return delayMs
  }
}

/** Telegram limits a button's data to 64 bytes, so a digest replaces a long id. */
const DIGEST_CHARS = 16

export function modelKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_CHARS)
}
