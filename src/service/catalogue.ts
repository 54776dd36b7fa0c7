import { createServedModels, type ServedModels } from './chat/models.ts'
import type { ServiceConfig } from './config/service-config.ts'
import { createEndpoints, type Endpoint } from './generation/endpoints.ts'
import type { ProviderRest } from './metrics.ts'
import type { ProviderWays } from './providers/provider-http.ts'

type OffersConfig = Pick<ServiceConfig, 'chat' | 'generation' | 'keys' | 'usdMicroRub'>

/** Holds everything on sale. A request reads it once and ends at those prices and with that provider. */
export function createOffers(first: OffersConfig, ways: ProviderWays = {}) {
  let models: ServedModels = new Map()
  let endpoints: readonly Endpoint[] = []
  let makesVideos = false
  /** The newest first. Endpoints that are no longer offered stay for their tasks. */
  let known: readonly Endpoint[] = []
  replace(first)
  return {
    replace,
    models: () => models,
    endpoints: () => endpoints,
    listRests,
    findOffered: (path: string) => endpoints.find((endpoint) => endpoint.path === path),
    findKnown,
    /** True if the demo makes the videos. A provider fetches reference pictures from another machine. */
    makesVideos: () => makesVideos,
  }

  function replace(config: OffersConfig): void {
    const served = createServedModels(config, ways)
    endpoints = createEndpoints(config, ways)
    models = served
    makesVideos = config.generation['videos/vidgen-generate']?.provider.type === 'demo'
    const isReplaced = ({ path, maker }: Endpoint) =>
      endpoints.some((endpoint) => endpoint.path === path && endpoint.maker === maker)
    known = [...endpoints, ...known.filter((endpoint) => !isReplaced(endpoint))]
  }

  function listRests(): ProviderRest[] {
    const ofChats = [...models.values()].flatMap(({ id, upstreams }) =>
      upstreams.map(({ name, health }) => ({ model: id, upstream: name, restMs: health.restMs() })),
    )
    const ofCreations = endpoints.map(({ path, upstream, health }) => ({
      model: path,
      upstream,
      restMs: health.restMs(),
    }))
    return [...ofChats, ...ofCreations]
  }

  /** Finds the endpoint whose maker has begun a task of this path; without it, the newest. */
  function findKnown(path: string, begunBy?: unknown): Endpoint | undefined {
    const ofPath = known.filter((endpoint) => endpoint.path === path)
    return ofPath.find(({ maker }) => maker === begunBy) ?? ofPath[0]
  }
}
