import type { UrlGuard } from '../platform/http/find-target.ts'
import { createServedModels, type ServedModels } from './chat/models.ts'
import type { ServiceConfig } from './config/service-config.ts'
import type { Endpoint } from './generation/endpoint.ts'
import { createEndpoints } from './generation/endpoints.ts'

/** What the service sells and who does the work, as one config says. It never changes: another config makes another. */
export interface Catalogue {
  models: ServedModels
  endpoints: readonly Endpoint[]
  /** Whether reference pictures are fetched by this process. Otherwise its provider does, from another machine. */
  fetchesPictures: boolean
}

/** @param pictureGuard Where a provider in this process may fetch a customer's reference picture from. */
export function createCatalogue(
  config: Pick<ServiceConfig, 'chat' | 'generation' | 'keys'>,
  { pictureGuard }: { pictureGuard?: UrlGuard } = {},
): Catalogue {
  return {
    models: createServedModels(config),
    endpoints: createEndpoints(config, { pictureGuard }),
    fetchesPictures: config.generation['videos/vidgen-generate']?.provider.type === 'demo',
  }
}

/**
 * The one place where the catalogue of the moment is found. A request takes from it what it needs once, at its
 * beginning, and keeps that: so it ends at the prices, and with the provider, that it began with.
 */
export function createOffers(first: Catalogue) {
  let current = first
  /**
   * By path, the last offered last; also those that are offered no more: what was ordered there is still made. Of
   * each maker one is enough.
   */
  const known = new Map<string, readonly Endpoint[]>()
  replace(first)
  return { replace, models, endpoints, findOffered, findKnown, fetchesPictures }

  /** Has every request from here on find another catalogue. */
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

  function fetchesPictures(): boolean {
    return current.fetchesPictures
  }

  /** The endpoint that takes orders at a path; undefined where none does. */
  function findOffered(path: string): Endpoint | undefined {
    return current.endpoints.find((endpoint) => endpoint.path === path)
  }

  /**
   * The endpoint that makes what was ordered at a path, as it was last offered: by the one that has begun the work,
   * if that was offered here, otherwise by the last.
   */
  function findKnown(path: string, begunBy?: unknown): Endpoint | undefined {
    const all = known.get(path)
    return all?.find(({ maker }) => maker === begunBy) ?? all?.at(-1)
  }
}
