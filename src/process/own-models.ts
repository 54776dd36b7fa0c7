import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Proxies } from '../platform/http/proxies.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import type { FoundPrice, KnownPrices } from '../service/config/openai/judge-prices.ts'
import { type ListedModels, listModels } from '../service/config/openai/list-models.ts'
import type { OfferedModel, PriceKnowledge } from '../service/config/openai/offer-models.ts'
import {
  fetchPriceBook,
  openPriceBook,
  type PriceBook,
} from '../service/config/openai/price-book.ts'
import {
  makeOffer,
  type ReadOffer,
  type UpstreamTrouble,
} from '../service/config/openai/read-offer.ts'
import { formatUsd, type UsdPrices } from '../service/config/openai/usd.ts'
import type { OpenAiSettings } from '../service/config/openai/variables.ts'

const AGAIN_MS = 30_000

const GONE =
  'what is sold came from OPENAI_API_KEY, and now it would not: start the process anew to change that'

export interface OwnModelsDeps {
  settings: OpenAiSettings
  readSettings?: () => OpenAiSettings | undefined
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  proxies?: Proxies | undefined
  clock?: Pick<Clock, 'sleep'>
}

/** What was offered last. */
export type OwnOffer = Extract<ReadOffer, { ok: true }>

/** A model whose old price stays. Prices are dollars per 1 million tokens, `0.25/2`. */
export interface KeptPrice {
  model: string
  upstream: string
  old: string
  /** Undefined if there is no valid one. */
  next: string | undefined
}

export interface OwnModelsWatcher {
  /** Gets why the upstream did not list its models, if it did not: now, and whenever it is asked. */
  onTrouble?(trouble: UpstreamTrouble): void
  /** Gets a price that stays, now and whenever the upstream is asked. */
  onKeptPrice?(kept: KeptPrice): void
  /** Stores the prices that count, whenever the upstream was asked. */
  onPrices?(baseUrl: string, known: KnownPrices): Promise<void>
}

/** The models of the operator's own key, as its upstream lists them. */
export interface OwnModels {
  readonly settings: OpenAiSettings
  /** Asks the upstream, and judges its prices by the known ones. */
  read(): Promise<ReadOffer>
  /** True if the offer is made by these prices. */
  knows(known: KnownPrices): boolean
  /** Makes the offer anew, without asking, by the prices that another process has stored. */
  recall(known: KnownPrices): ReadOffer
  offer(): OwnOffer | undefined
  /** @returns Ends that. */
  watch(watcher: OwnModelsWatcher): () => void
  /**
   * Has the offer made again from time to time while the upstream does not list its models.
   *
   * @returns Ends that, and what is under way.
   */
  keepAsking(reload: () => Promise<unknown>): () => Promise<void>
}

/** Makes the models of a key; nothing is asked yet. */
export function createOwnModels(deps: OwnModelsDeps): OwnModels {
  const { settings: first, readSettings = () => first, log, proxies, clock = systemClock } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  let settings = first
  let offer: OwnOffer | undefined
  let known: KnownPrices = new Map()
  let last: { list: ListedModels; book: PriceBook | undefined } | undefined
  const watchers = new Set<OwnModelsWatcher>()
  return {
    get settings() {
      return settings
    },
    read,
    knows: (stored) => isDeepStrictEqual(stored, known),
    recall,
    offer: () => offer,
    watch,
    keepAsking,
  }

  async function read(): Promise<ReadOffer> {
    const asked = readSettings()
    if (asked === undefined) return { ok: false, problems: [GONE] }
    const { baseUrl, apiKey } = asked
    const list = await listModels({ baseUrl, apiKey, proxies }, signal)
    const book = await findBook(baseUrl, list)
    // The prices of one upstream say nothing of another.
    const old = baseUrl === settings.baseUrl ? known : new Map()
    const read = makeOffer(asked, list, { known: old, isAsking: list.ok, ...book })
    if (!read.ok) return read
    const { trouble } = read
    // A whole offer counts on, whatever the upstream says later.
    const isWhole = offer !== undefined && offer.trouble === undefined
    if (trouble !== undefined && isWhole) return { ok: false, problems: [trouble.sentence] }
    if (trouble !== undefined) log.error({ ...trouble }, 'the models are not set up right')
    offer = read
    settings = asked
    last = { list, book: book.book }
    known = toKnown(read.models)
    for (const kept of findKept(offer)) log.error(kept, 'new price not taken, the old one stays')
    for (const watcher of watchers) reportTo(watcher)
    if (list.ok) await Promise.all([...watchers].map((watcher) => store(watcher)))
    return read
  }

  /** Newer data is asked for where the list tells no prices; the first offer is made without. */
  async function findBook(
    baseUrl: string,
    list: ListedModels,
  ): Promise<Pick<PriceKnowledge, 'book' | 'isBookOld'>> {
    const bundled = await openPriceBook(baseUrl)
    const isNeeded = list.ok && !list.models.some(({ prices }) => prices !== undefined)
    if (bundled === undefined || offer === undefined || !isNeeded) return { book: bundled }
    const newer = await fetchPriceBook(baseUrl, { proxies }, signal)
    if (newer !== undefined) return { book: newer }
    log.warn('newer prices of genai-prices cannot be read, the old ones stay')
    return { book: bundled, isBookOld: true }
  }

  function recall(stored: KnownPrices): ReadOffer {
    known = stored
    if (last === undefined) return { ok: false, problems: ['the upstream was not asked yet'] }
    const { list, book } = last
    const made = makeOffer(settings, list, { known, book })
    if (made.ok) offer = made
    return made
  }

  async function store({ onPrices }: OwnModelsWatcher): Promise<void> {
    try {
      await onPrices?.(settings.baseUrl, known)
    } catch (error) {
      log.error({ err: error }, 'prices not stored, other processes have the old ones')
    }
  }

  function watch(watcher: OwnModelsWatcher): () => void {
    watchers.add(watcher)
    reportTo(watcher)
    return () => void watchers.delete(watcher)
  }

  function reportTo({ onTrouble, onKeptPrice }: OwnModelsWatcher): void {
    if (offer?.trouble !== undefined) onTrouble?.(offer.trouble)
    for (const kept of findKept(offer)) onKeptPrice?.(kept)
  }

  function findKept({ models }: Pick<OwnOffer, 'models'> = { models: [] }): KeptPrice[] {
    return models.flatMap(({ config, usd, kept }) =>
      kept === undefined
        ? []
        : {
            model: config.id,
            upstream: new URL(settings.baseUrl).host,
            old: writePrice(usd),
            next: kept.next && writePrice(kept.next),
          },
    )
  }

  function keepAsking(reload: () => Promise<unknown>): () => Promise<void> {
    const asking = ask(reload)
    return () => {
      stopping.abort()
      return asking
    }
  }

  async function ask(reload: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted && offer?.trouble !== undefined) {
      // `stopping` ends the wait, which is no error.
      await clock.sleep(AGAIN_MS, signal).catch(() => {})
      if (!signal.aborted) await reload()
    }
  }
}

function toKnown(models: readonly OfferedModel[]): KnownPrices {
  return new Map(
    models.flatMap(
      ({ config, usd, priceFrom: from, pricedAt: date = '' }): [string, FoundPrice][] =>
        from === 'list' || from === 'book' ? [[config.id, { prices: usd, from, date }]] : [],
    ),
  )
}

function writePrice({ prompt, completion }: UsdPrices): string {
  return `${formatUsd(prompt)}/${formatUsd(completion)}`
}
