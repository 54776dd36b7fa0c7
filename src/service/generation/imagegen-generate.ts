import { IMAGE_LABEL, ImageRequest } from '../../contract/image.ts'
import { createEndpoint, type Endpoint, type Offer } from './endpoint.ts'

/** A demo image is there at once; others take seconds. */
const CHECK_INTERVAL_MS = 2000

/** `POST /images/imagegen-generate`: a picture from text. */
export function createImagegenEndpoint(offer: Offer<ImageRequest>): Endpoint {
  return createEndpoint({
    path: 'images/imagegen-generate',
    schema: ImageRequest,
    findProblems: () => [],
    label: () => IMAGE_LABEL,
    ...offer,
    extension: 'png',
    checkIntervalMs: CHECK_INTERVAL_MS,
  })
}
