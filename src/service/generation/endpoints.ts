import { createDemoVideoProvider } from '../providers/demo-video.ts'
import type { ServiceConfig } from '../service-config.ts'
import type { Endpoint } from './endpoint.ts'
import { createVidgenEndpoint } from './vidgen-generate.ts'

const DEADLINE_MS = 60 * 60_000

/** The creation endpoints that the config offers, each with its provider. */
export function createEndpoints(config: ServiceConfig['generation']): Endpoint[] {
  const endpoints: Endpoint[] = []
  const video = config['videos/vidgen-generate']
  if (video !== undefined) {
    const { pricesMicroRub } = video
    const provider = createDemoVideoProvider()
    endpoints.push(createVidgenEndpoint({ pricesMicroRub, deadlineMs: DEADLINE_MS, provider }))
  }
  return endpoints
}
