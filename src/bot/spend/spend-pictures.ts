/** Pictures of the spend of the last 30 days, by day and kind, as PNG. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { programUrl } from '../../platform/installation.ts'
import { atMost } from '../../platform/time/at-most.ts'
import { errorFacts } from '../telegram/errors.ts'
import { shortenLine } from '../texts/shorten.ts'
import { type Texts, toLanguage } from '../texts/texts.ts'
import type { SpendChart } from './card.ts'
import type { Overview, Reports } from './reports.ts'
import type { UserName } from './users.ts'

const WORKER = programUrl('./chart-worker', import.meta.url)
const USERS_SHOWN = 10
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
    const { reports } = this.#context
    const overview = await reports.overview({ span: '30d', userId }, { skip: 0, take: 0 })
    const chart = this.#chartOf(overview, 'chart-own', languageCode)
    return chart.kinds.length === 0 ? undefined : this.#tryToDraw(chart)
  }

  async ofAll(languageCode: string | undefined): Promise<Uint8Array | undefined> {
    const { reports, texts } = this.#context
    const overview = await reports.overview({ span: '30d' }, { skip: 0, take: USERS_SHOWN })
    const { users, rest } = overview
    const rows = users.map(({ user, spend: { amountMicroRub } }) => {
      return { name: drawnName(user), amountMicroRub }
    })
    if (rest.users > 0) {
      const name = texts.t(languageCode, 'chart-rest', { count: rest.users })
      rows.push({ name, amountMicroRub: rest.spend.amountMicroRub })
    }
    const title = texts.t(languageCode, 'chart-users')
    const chart = this.#chartOf(overview, 'chart-all', languageCode)
    return this.#tryToDraw({ ...chart, users: { title, rows } })
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

/**
 * Makes a function that draws pictures one at a time, each in its own thread.
 *
 * It throws if a thread fails, or if the picture takes too long, including the wait for others.
 */
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
    const ended = once(worker, 'exit').then(() => {
      throw new TypeError('Cannot draw chart: its thread ended without a picture')
    })
    const [png] = await Promise.race([once(worker, 'message', { signal }), ended])
    return png
  } finally {
    // A thread that hangs would run for ever.
    await worker.terminate()
  }
}

const NAME_CHARS_MAX = 40

/** Characters that the font lacks: emoji, and scripts other than Latin and Cyrillic. */
const NOT_DRAWN = /[^\u0020-\u007e\u00a0-\u017f\u0400-\u04ff\u2010-\u2026]/gu

function drawnName({ id, firstName, username }: UserName): string {
  // Normalization turns letters in fancy dress into plain letters.
  const plain = firstName.normalize('NFKC').replace(NOT_DRAWN, '')
  const name = shortenLine(plain, NAME_CHARS_MAX)
  // Marks of an emoji may be left.
  if (/[\p{L}\p{N}]/u.test(name)) return name
  return username === null ? `id ${id}` : `@${username}`
}
