/**
 * Keeps the offer of the operator's own key: the models of its upstream at the prices that count.
 * In: the settings, the upstream's list, the price book and the stored prices. Out: offers, and what admins should learn.
 * Invariant: a whole offer is never replaced by one without the upstream's list. All processes ask at the same times of
 * the day and judge by the same stored prices, so that they sell at the same ones.
 */
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { KeptPrice } from '../bot/admin/alerts.ts'
import { formatRub } from '../contract/money.ts'
import type { Proxies } from '../platform/http/proxies.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import {
  type ListedModels,
  listModels,
  type UpstreamTrouble,
} from '../service/config/openai/list-models.ts'
import {
  type FoundPrice,
  type KnownPrices,
  type OfferedModel,
  offerModels,
  type ReadOffer,
} from '../service/config/openai/offer-models.ts'
import {
  fetchPriceBook,
  openPriceBook,
  type PriceBook,
} from '../service/config/openai/price-book.ts'
import type { OpenAiSettings } from '../service/config/openai/settings.ts'
import type { UsdPrices } from '../service/config/openai/usd.ts'
import type { ReadServiceConfig } from '../service/config/service-config.ts'

const AGAIN_MS = 30_000
const FIRST_MS = 60_000
const ASK_MS = 6 * 60 * 60_000

const GONE =
  'what is sold came from OPENAI_API_KEY, and now it would not: start the process anew to change that'

type Trouble = UpstreamTrouble | KeptPrice

interface OwnModelsContext {
  /** Undefined if OPENAI_API_KEY decides no longer. */
  readSettings: () => OpenAiSettings | undefined
  log: Pick<Logger, 'warn' | 'error'>
  proxies?: Proxies | undefined
  clock?: Pick<Clock, 'now' | 'sleep'>
}

type OwnOffer = Extract<ReadOffer, { ok: true }>

interface Asked {
  settings: OpenAiSettings
  list: ListedModels
  book: PriceBook | undefined
}

export class OwnModels {
  readonly #context: OwnModelsContext
  readonly #stopping = new AbortController()
  #report: (trouble: Trouble) => void = () => {}
  #asked: Asked | undefined
  #offer: OwnOffer | undefined
  #store: PriceStore | undefined

  constructor(context: OwnModelsContext) {
    this.#context = context
  }

  get offer(): OwnOffer | undefined {
    return this.#offer
  }

  async read(): Promise<ReadServiceConfig> {
    const { readSettings, proxies, log } = this.#context
    const settings = readSettings()
    if (settings === undefined) return refuse(GONE)
    const list = await listModels({ ...settings, proxies }, this.#stopping.signal)
    const book = await this.#findBook(settings.baseUrl, list)
    try {
      return await this.#judge({ settings, list, book })
    } catch (error) {
      log.error({ err: error }, 'cannot compare prices with the stored ones')
      return refuse('the stored prices cannot be read or written')
    }
  }

  /** Judges by stored prices from here on. Returns the offer of before, judged by them. */
  async useStore(store: PriceStore): Promise<ReadServiceConfig | undefined> {
    this.#store = store
    return this.#asked && (await this.#judge(this.#asked))
  }

  /** Reports the troubles of now, and those of each later offer: no list, or prices that stay. */
  watch(report: (trouble: Trouble) => void): void {
    this.#report = report
    for (const trouble of this.#listTroubles()) report(trouble)
  }

  /** Makes the offer again every 30 s while there is no list, else at 0, 6, 12 and 18 h UTC, until the result is called. */
  keepAsking(reload: () => Promise<unknown>): () => Promise<void> {
    const { clock = systemClock } = this.#context
    const { signal } = this.#stopping
    const ask = async () => {
      for (let pauseMs = FIRST_MS; ; pauseMs = ASK_MS - (clock.now() % ASK_MS)) {
        // `#stopping` ends the wait, which is no error.
        await clock.sleep(this.#offer?.trouble ? AGAIN_MS : pauseMs, signal).catch(() => {})
        if (signal.aborted) return
        await reload()
      }
    }
    const asking = ask()
    return () => {
      this.#stopping.abort()
      return asking
    }
  }

  /** Newer data is asked for if the list tells no prices; the first offer is made without. */
  async #findBook(baseUrl: string, list: ListedModels): Promise<PriceBook | undefined> {
    const { proxies, log } = this.#context
    const bundled = await openPriceBook(baseUrl)
    const isNeeded = list.ok && !list.models.some(({ prices }) => prices !== undefined)
    if (bundled === undefined || this.#offer === undefined || !isNeeded) return bundled
    const newer = await fetchPriceBook(baseUrl, { proxies }, this.#stopping.signal)
    if (newer === undefined) log.warn('newer prices of genai-prices cannot be read')
    return newer ?? bundled
  }

  async #judge(asked: Asked): Promise<ReadServiceConfig> {
    const { log } = this.#context
    const { settings, list, book } = asked
    const known = await this.#store?.load(settings.baseUrl)
    const made = offerModels(settings, list, { known, book })
    if (!made.ok) return made
    const { models, trouble } = made
    const isWhole = this.#offer !== undefined && this.#offer.trouble === undefined
    if (trouble !== undefined && isWhole) return refuse(trouble.sentence)
    if (trouble === undefined) await this.#store?.save(settings.baseUrl, toKnown(models))
    this.#asked = asked
    this.#offer = made
    for (const trouble of this.#listTroubles()) {
      if ('old' in trouble) log.error(trouble, 'new price not taken, the old one stays')
      else log.error({ ...trouble }, 'the models are not set up right')
      this.#report(trouble)
    }
    return made
  }

  #listTroubles(): Trouble[] {
    const { models, trouble } = this.#offer ?? { models: [], trouble: undefined }
    const troubles: Trouble[] = trouble === undefined ? [] : [trouble]
    for (const { config, usd, kept } of models) {
      if (kept === undefined || this.#asked === undefined) continue
      const upstream = new URL(this.#asked.settings.baseUrl).host
      const next = kept.next && writePrice(kept.next)
      troubles.push({ model: config.id, upstream, old: writePrice(usd), next })
    }
    return troubles
  }
}

function refuse(problem: string): ReadServiceConfig {
  return { ok: false, problems: [problem] }
}

/** Prices that the operator sets have no date, and are not stored. */
function toKnown(models: readonly OfferedModel[]): KnownPrices {
  const known = models.flatMap(({ config, usd, priceFrom, pricedAt }) =>
    pricedAt === undefined ? [] : [[config.id, { usd, priceFrom, pricedAt }] as const],
  )
  return new Map(known)
}

function writePrice({ prompt, completion }: UsdPrices): string {
  return `${formatRub(prompt)}/${formatRub(completion)}`
}

export type PriceStore = ReturnType<typeof createPriceStore>

/** Keeps the prices of all processes in the row of `service.price_watch`. */
export function createPriceStore(pool: Pick<Pool, 'query'>) {
  return { load, save }

  async function load(baseUrl: string): Promise<KnownPrices> {
    const { rows } = await pool.query<{ prices: string }>(
      'SELECT prices::text AS prices FROM service.price_watch WHERE base_url = $1',
      [baseUrl],
    )
    const found: Record<string, FoundPrice> = JSON.parse(rows[0]?.prices ?? '{}', (_, value) =>
      typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value,
    )
    return new Map(Object.entries(found))
  }

  async function save(baseUrl: string, known: KnownPrices): Promise<void> {
    // JSON has no whole numbers of this size.
    const prices = JSON.stringify(Object.fromEntries(known), (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    await pool.query(
      'UPDATE service.price_watch SET base_url = $1, prices = $2, asked_at = now()',
      [baseUrl, prices],
    )
  }
}
