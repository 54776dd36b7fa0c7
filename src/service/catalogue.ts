import type { UrlGuard } from '../platform/http/find-target.ts'
import { createServedModels, type ServedModels } from './chat/models.ts'
import type { ServiceConfig } from './config/service-config.ts'
import type { Endpoint } from './generation/endpoint.ts'
import { createEndpoints } from './generation/endpoints.ts'
import type { ProviderRest } from './metrics.ts'
import type { ProviderWays } from './providers/provider-http.ts'

/** Everything on sale and its providers, by one config. It never changes: another config makes another. */
export interface Catalogue {
  models: ServedModels
  endpoints: readonly Endpoint[]
  /** True if this process fetches reference pictures. Otherwise the provider does, from another machine. */
  fetchesPictures: boolean
}

/**
 * Makes the catalogue of a config.
 *
 * @param pictureGuard The hosts from which a provider in this process may fetch a customer's reference picture.
 */
export function createCatalogue(
  config: Pick<ServiceConfig, 'chat' | 'generation' | 'keys' | 'usdMicroRub'>,
  { pictureGuard, proxies, log }: { pictureGuard?: UrlGuard } & ProviderWays = {},
): Catalogue {
  return {
    models: createServedModels(config, { proxies, log }),
    endpoints: createEndpoints(config, { pictureGuard, proxies }),
    fetchesPictures: config.generation['videos/vidgen-generate']?.provider.type === 'demo',
  }
}

/**
 * Holds the catalogue of the moment. A request reads it once, at its beginning, and keeps what it needs: so it ends at
 * the prices, and with the provider, that it began with.
 */
export function createOffers(first: Catalogue) {
  let current = first
  /**
   * The endpoints by path, the last offered last; also those that are offered no more, since their tasks go on. One of
   * each maker is enough.
   */
  const known = new Map<string, readonly Endpoint[]>()
  replace(first)
  return { replace, models, endpoints, listRests, findOffered, findKnown, fetchesPictures }

  function replace(next: Catalogue): void {
    current = next
    for (const endpoint of next.endpoints) {
      const others = known.get(endpoint.path)?.filter(({ maker }) => maker !== endpoint.maker)
      known.set(endpoint.path, [...(others ?? []), endpoint])
    }
  }

  function models(): ServedModels {
    return current.models
  }

  function endpoints(): readonly Endpoint[] {
    return current.endpoints
  }

  function listRests(): ProviderRest[] {
    const ofChats = [...current.models.values()].flatMap(({ id, upstreams }) =>
      upstreams.map(({ name, coolDown }) => ({
        model: id,
        upstream: name,
        restMs: coolDown.restMs(),
      })),
    )
    const ofCreations = current.endpoints.map(({ path, upstream, availability }) => ({
      model: path,
      upstream,
      restMs: availability.findRefusal()?.retryAfterMs ?? 0,
    }))
    return [...ofChats, ...ofCreations]
  }

  function fetchesPictures(): boolean {
    return current.fetchesPictures
  }

  function findOffered(path: string): Endpoint | undefined {
    return current.endpoints.find((endpoint) => endpoint.path === path)
  }

  /**
   * Finds the endpoint for a task of a path, as it was last offered: that of the maker that has begun the work, if this
   * process has offered it, otherwise the last.
   */
  function findKnown(path: string, begunBy?: unknown): Endpoint | undefined {
    const all = known.get(path)
    return all?.find(({ maker }) => maker === begunBy) ?? all?.at(-1)
  }
}
