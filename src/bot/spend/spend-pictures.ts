/** Pictures of the spend of the last 30 days, by day and kind, as PNG. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { programUrl } from '../../platform/installation.ts'
import { atMost } from '../../platform/time/at-most.ts'
import { errorFacts } from '../telegram/errors.ts'
import { type Texts, toLanguage } from '../texts/texts.ts'
import type { SpendChart } from './card.ts'
import type { Overview, Reports } from './reports.ts'

const WORKER = programUrl('./chart-worker', import.meta.url)
/** A picture takes 0.2 s; on a busy machine, or with others before it, longer. */
const DRAW_MS_MAX = 5_000
/** A thread takes about 80 MB while it draws. */
const PARALLEL_MAX = 1
const HEAP_MB_MAX = 128

type Draw = (chart: SpendChart) => Promise<Uint8Array>

export interface SpendPicturesContext {
  reports: Pick<Reports, 'overview'>
  texts: Texts
  log: Logger
  draw?: Draw
}

/** Draws spend. A picture that cannot be drawn within 5 s is undefined, and its text is sent without it. */
export class SpendPictures {
  readonly #context: SpendPicturesContext
  readonly #draw: Draw

  constructor(context: SpendPicturesContext) {
    this.#context = context
    this.#draw = context.draw ?? createDraw()
  }

  async ofUser(
    userId: bigint | number,
    languageCode: string | undefined,
  ): Promise<Uint8Array | undefined> {
    const overview = await this.#context.reports.overview({ span: '30d', userId }, 0)
    const chart = this.#chartOf(overview, 'chart-own', languageCode)
    return chart.kinds.length === 0 ? undefined : this.#tryToDraw(chart)
  }

  async ofAll(languageCode: string | undefined): Promise<Uint8Array | undefined> {
    const overview = await this.#context.reports.overview({ span: '30d' }, 0)
    return this.#tryToDraw(this.#chartOf(overview, 'chart-all', languageCode))
  }

  #chartOf(
    { byDay: days, byKind }: Overview,
    titleKey: string,
    languageCode: string | undefined,
  ): SpendChart {
    const { texts } = this.#context
    const kinds = byKind.flatMap(({ kind, spend: { amountMicroRub } }) => {
      const name = texts.t(languageCode, 'spend-kind', { kind })
      const row = { kind, name: name.charAt(0).toUpperCase() + name.slice(1), amountMicroRub }
      return amountMicroRub === 0n ? [] : [row]
    })
    const title = texts.t(languageCode, titleKey)
    const emptyText = texts.t(languageCode, 'chart-empty')
    return { language: toLanguage(languageCode), title, emptyText, days, kinds }
  }

  async #tryToDraw(chart: SpendChart): Promise<Uint8Array | undefined> {
    try {
      return await this.#draw(chart)
    } catch (error) {
      this.#context.log.warn(errorFacts(error), 'picture of spend not drawn')
      return undefined
    }
  }
}

/** Each picture has its own thread. Drawing throws if it fails, or takes too long with the wait for others. */
export function createDraw({ worker = WORKER, timeoutMs = DRAW_MS_MAX } = {}): Draw {
  const inTurn = atMost(PARALLEL_MAX)
  return (chart) => {
    const signal = AbortSignal.timeout(timeoutMs)
    return inTurn(() => drawInThread(worker, chart, signal))
  }
}

async function drawInThread(
  file: URL,
  chart: SpendChart,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted()
  // It needs none of the secrets in the environment.
  const worker = new Worker(file, {
    workerData: chart,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  try {
    const [png] = await once(worker, 'message', { signal })
    return png
  } finally {
    // A thread that hangs would run for ever.
    await worker.terminate()
  }
}
