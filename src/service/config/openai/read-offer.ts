import type { Proxies } from '../../../platform/http/proxies.ts'
import type { ServiceConfig } from '../service-config.ts'
import { findKnownUpstream } from './known-upstreams.ts'
import { type ListedModels, type ListProblem, listModels } from './list-models.ts'
import {
  type OfferedModel,
  offerModels,
  type PriceKnowledge,
  toServiceConfig,
} from './offer-models.ts'
import { openPriceBook } from './price-book.ts'
import type { OpenAiSettings } from './variables.ts'

/** Why an upstream that was asked for its models gave none. */
export interface UpstreamTrouble {
  kind: ListProblem
  upstream: string
  status: number | undefined
  /** Its own words, in one line, without keys. */
  said: string | undefined
  sentence: string
}

export type ReadOffer =
  | {
      ok: true
      config: ServiceConfig
      models: readonly OfferedModel[]
      /** Why it is made without the upstream's list. It is to be made again. */
      trouble: UpstreamTrouble | undefined
    }
  | { ok: false; problems: string[] }

/**
 * Asks the upstream of OPENAI_API_KEY for its models, and makes the config that sells them.
 *
 * @param proxies Lead to the upstream; without them the way is direct.
 */
export async function readOffer(
  settings: OpenAiSettings,
  signal: AbortSignal,
  proxies?: Proxies,
): Promise<ReadOffer> {
  const { baseUrl, apiKey } = settings
  const list = await listModels({ baseUrl, apiKey, proxies }, signal)
  return makeOffer(settings, list, { book: await openPriceBook(baseUrl) })
}

/** Makes the config that sells the models of a list. */
export function makeOffer(
  settings: OpenAiSettings,
  list: ListedModels,
  knowledge: PriceKnowledge,
): ReadOffer {
  const offer = offerModels(settings, list, knowledge)
  if (!offer.ok) return { ok: false, problems: [offer.problem] }
  const { models } = offer
  return {
    ok: true,
    config: toServiceConfig(models, settings),
    models,
    trouble: list.ok ? undefined : toTrouble(list, settings),
  }
}

/** Describes why there is no list. */
export function toTrouble(
  { problem: kind, status, said }: Extract<ListedModels, { ok: false }>,
  { baseUrl, apiKey }: Pick<OpenAiSettings, 'baseUrl' | 'apiKey'>,
): UpstreamTrouble {
  const upstream = new URL(baseUrl).host
  // Some repeat their status in their words.
  const isTold = said?.startsWith(String(status)) ?? false
  const words = [isTold ? undefined : status, said].filter((part) => part !== undefined).join(' ')
  const what = describe(kind, { upstream, baseUrl, status, hasKey: apiKey !== undefined })
  return { kind, upstream, status, said, sentence: words === '' ? what : `${what} (${words})` }
}

interface Asked {
  upstream: string
  baseUrl: string
  status: number | undefined
  hasKey: boolean
}

function describe(kind: ListProblem, { upstream, baseUrl, status, hasKey }: Asked): string {
  switch (kind) {
    case 'unauthorized':
      if (!hasKey) return `OPENAI_API_KEY: ${upstream} wants a key: set it`
      if (status === 402)
        return `OPENAI_API_KEY: ${upstream} has no money left for this key: top it up there`
      if (status === 403)
        return `OPENAI_API_KEY: ${upstream} gives this key no right to its models: change that there`
      return `OPENAI_API_KEY: ${upstream} refuses this key: set one that ${findKnownUpstream(baseUrl)?.name ?? 'it'} has given you`
    case 'unreachable':
      return `OPENAI_BASE_URL: nobody answers at ${baseUrl}; is the address right, and does the upstream run?`
    case 'unavailable':
      return `OPENAI_BASE_URL: ${upstream} does not list its models now: it is asked again`
    case 'no_list':
      return `OPENAI_BASE_URL: ${baseUrl} is no API like OpenAI's, it lists no models at ${baseUrl}/models`
  }
}
