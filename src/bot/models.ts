import type { Logger } from 'pino'
import type { ModelInfo } from '../client/read-answers.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { backoffMs } from '../time/backoff.ts'
import type { Clock } from '../time/clock.ts'
import { retry } from '../time/retry.ts'
import { errorFacts } from './telegram/error-facts.ts'

const REFRESH_MS = 600_000
const BACKOFF = { firstMs: 1000, maxMs: 30_000 }
const TOKENS_PER_PRICE = 1_000_000n

/** The service lists no model, and none was set. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError'
  readonly code = 'no_model'

  constructor() {
    super('Cannot choose model: the service lists none')
  }
}

export interface ModelsDeps {
  service: Pick<ServiceClient, 'models'>
  defaultModel?: string | undefined
  clock: Clock
  log: Logger
}

/** The models of the service and their prices, kept fresh. */
export function createModels({ service, defaultModel, clock, log }: ModelsDeps) {
  let list: readonly ModelInfo[] = []
  const stopped = new AbortController()
  return { start, stop, ready, load, choose, price, contextTokens }

  /** Loads the list in the background, until it is there and then from time to time. */
  function start(): void {
    void keepFresh()
  }

  function stop(): void {
    stopped.abort()
  }

  async function keepFresh(): Promise<void> {
    const { signal } = stopped
    try {
      for (;;) {
        await retry(() => load(signal), { clock, signal, delayAfter })
        await clock.sleep(REFRESH_MS, signal)
      }
    } catch {
      // Nothing but the end of the bot gets here.
    }
  }

  function delayAfter(error: unknown, attempts: number): number {
    const delayMs = backoffMs(BACKOFF, attempts)
    log.warn({ ...errorFacts(error), delayMs }, 'models not loaded')
    return delayMs
  }

  /**
   * Loads the list if there is none yet and it is needed.
   *
   * @throws {ServiceError} If the service does not tell.
   */
  async function ready(): Promise<void> {
    if (list.length === 0 && defaultModel === undefined) await load(stopped.signal)
  }

  /**
   * Asks the service for the list as it is just now; from here on models are chosen from it.
   *
   * @throws {ServiceError} If the service does not tell.
   */
  async function load(signal?: AbortSignal): Promise<readonly ModelInfo[]> {
    list = await service.models({ signal })
    return list
  }

  /**
   * The model that answers in a conversation: the chosen one while the service has it.
   *
   * @throws {NoModelError} If there is none at all.
   */
  function choose(chosen: string | null): string {
    const isOffered = list.length === 0 || list.some(({ id }) => id === chosen)
    const model = (isOffered ? chosen : null) ?? defaultModel ?? list[0]?.id
    if (model === undefined) throw new NoModelError()
    return model
  }

  /** The size of a model's context; undefined where the service does not tell. */
  function contextTokens(model: string): number | undefined {
    return list.find(({ id }) => id === model)?.contextTokens
  }

  /** What so many tokens cost, rounded half up; 0 for a model whose prices are not known. */
  function price(
    model: string,
    tokens: { promptTokens: number; completionTokens: number },
  ): bigint {
    const { promptMicroRubPer1m = 0n, completionMicroRubPer1m = 0n } =
      list.find(({ id }) => id === model) ?? {}
    const sum =
      promptMicroRubPer1m * BigInt(tokens.promptTokens) +
      completionMicroRubPer1m * BigInt(tokens.completionTokens)
    return (sum + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE
  }
}

export type Models = ReturnType<typeof createModels>
