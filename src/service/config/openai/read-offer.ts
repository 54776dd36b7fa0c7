import type { Proxies } from '../../../platform/http/proxy/proxies.ts'
import { toDigest } from '../read-service-file.ts'
import type { ServiceConfig } from '../service-config.ts'
import { findKnownUpstream } from './known-upstreams.ts'
import { type ListProblem, listModels, type ModelList } from './list-models.ts'
import { type OfferedModel, offerModels, toServiceConfig } from './offer-models.ts'
import type { OpenAiSettings } from './variables.ts'

/** Why an upstream that was asked for its models gave none. */
export interface UpstreamTrouble {
  kind: ListProblem
  /** The upstream's host. */
  upstream: string
  status: number | undefined
  /** Its own words, in one line, without keys. */
  said: string | undefined
  /** For the operator: what is wrong, and what to do. */
  sentence: string
}

export type ReadOffer =
  | {
      ok: true
      config: ServiceConfig
      digest: string
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
  const offer = offerModels(settings, list)
  if (!offer.ok) return { ok: false, problems: [offer.problem] }
  const { models } = offer
  const config = toServiceConfig(models, settings)
  return {
    ok: true,
    config,
    digest: toDigest(JSON.stringify(config.chat)),
    models,
    trouble: list.ok ? undefined : toTrouble(list, settings),
  }
}

/** Describes why there is no list. */
export function toTrouble(
  { problem: kind, status, said }: Extract<ModelList, { ok: false }>,
  { baseUrl, apiKey }: Pick<OpenAiSettings, 'baseUrl' | 'apiKey'>,
): UpstreamTrouble {
  const upstream = new URL(baseUrl).host
  const words = [status, said].filter((part) => part !== undefined).join(' ')
  const sentence = `${describe(kind, { upstream, baseUrl, hasKey: apiKey !== undefined })}${words === '' ? '' : ` (${words})`}`
  return { kind, upstream, status, said, sentence }
}

function describe(
  kind: ListProblem,
  { upstream, baseUrl, hasKey }: { upstream: string; baseUrl: string; hasKey: boolean },
): string {
  switch (kind) {
    case 'refused': {
      const owner = findKnownUpstream(baseUrl)?.name
      const whose = owner === undefined ? 'this key' : `this key; is it one of ${owner}?`
      return hasKey
        ? `OPENAI_API_KEY: ${upstream} refuses ${whose}`
        : `OPENAI_API_KEY: ${upstream} wants a key`
    }
    case 'unreachable':
      return `OPENAI_BASE_URL: nobody answers at ${baseUrl}; is the address right, and does the upstream run?`
    case 'unavailable':
      return `OPENAI_BASE_URL: ${upstream} does not list its models now`
    case 'no_list':
      return `OPENAI_BASE_URL: ${baseUrl} is no API like OpenAI's, it lists no models at ${baseUrl}/models`
  }
}
