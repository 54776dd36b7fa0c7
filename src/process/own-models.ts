import type { Logger } from 'pino'
import type { Proxies } from '../platform/http/proxies.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import {
  type ReadOffer,
  readOffer,
  type UpstreamTrouble,
} from '../service/config/openai/read-offer.ts'
import type { OpenAiSettings } from '../service/config/openai/variables.ts'

const AGAIN_MS = 30_000

const GONE =
  'what is sold came from OPENAI_API_KEY, and now it would not: start the process anew to change that'

export interface OwnModelsDeps {
  settings: OpenAiSettings
  readSettings?: () => OpenAiSettings | undefined
  log: Pick<Logger, 'info' | 'error'>
  proxies?: Proxies | undefined
  clock?: Pick<Clock, 'sleep'>
}

/** What was offered last. */
export type OwnOffer = Extract<ReadOffer, { ok: true }>

/** The models of the operator's own key, as its upstream lists them. */
export interface OwnModels {
  readonly settings: OpenAiSettings
  read(): Promise<ReadOffer>
  offer(): OwnOffer | undefined
  /**
   * Calls a function with why the upstream did not list its models, if it did not: now, and whenever it was asked anew.
   *
   * @returns Ends that.
   */
  watchTrouble(report: (trouble: UpstreamTrouble) => void): () => void
  /**
   * Has the offer made again from time to time while the upstream does not list its models.
   *
   * @returns Ends that, and what is under way.
   */
  keepAsking(reload: () => Promise<unknown>): () => Promise<void>
}

/** Makes the models of a key; nothing is asked yet. */
export function createOwnModels({
  settings: first,
  readSettings = () => first,
  log,
  proxies,
  clock = systemClock,
}: OwnModelsDeps): OwnModels {
  const stopping = new AbortController()
  const { signal } = stopping
  let settings = first
  let offer: OwnOffer | undefined
  const watchers = new Set<(trouble: UpstreamTrouble) => void>()
  return {
    get settings() {
      return settings
    },
    read,
    offer: () => offer,
    watchTrouble,
    keepAsking,
  }

  async function read(): Promise<ReadOffer> {
    const asked = readSettings()
    if (asked === undefined) return { ok: false, problems: [GONE] }
    const read = await readOffer(asked, signal, proxies)
    if (!read.ok) return read
    const { trouble } = read
    // A whole offer counts on, whatever the upstream says later.
    const isWhole = offer !== undefined && offer.trouble === undefined
    if (trouble !== undefined && isWhole) return { ok: false, problems: [trouble.sentence] }
    if (trouble !== undefined) {
      log.error({ ...trouble }, 'the models are not set up right')
      for (const report of watchers) report(trouble)
    }
    offer = read
    settings = asked
    return read
  }

  function watchTrouble(report: (trouble: UpstreamTrouble) => void): () => void {
    watchers.add(report)
    if (offer?.trouble !== undefined) report(offer.trouble)
    return () => void watchers.delete(report)
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
