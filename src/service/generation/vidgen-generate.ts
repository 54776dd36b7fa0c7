import { clipLabel, findVideoProblems, VideoRequest } from '../../contract/video.ts'
import { createEndpoint, type Endpoint, type Offer } from './endpoint.ts'

/** Clips take minutes, but a demo clip only seconds. */
const CHECK_INTERVAL_MS = 2000

/** `POST /videos/vidgen-generate`: a clip from text, or from a picture and text. */
export function createVidgenEndpoint(offer: Offer<VideoRequest>): Endpoint {
  return createEndpoint({
    path: 'videos/vidgen-generate',
    schema: VideoRequest,
    findProblems: findVideoProblems,
    label: clipLabel,
    ...offer,
    extension: 'mp4',
    checkIntervalMs: CHECK_INTERVAL_MS,
    // The interface leaves polling as the only way to a clip.
    deliversCallbacks: false,
  })
}
