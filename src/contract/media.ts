import type { ImageRequest } from './image.ts'
import type { SoundRequest } from './sound.ts'
import type { VideoRequest } from './video.ts'

/** The kinds of media that the service generates. */
export const MEDIA_KINDS = ['video', 'image', 'sound'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** The body of the creation endpoint of each kind. */
export interface MediaRequests {
  video: VideoRequest
  image: ImageRequest
  sound: SoundRequest
}

/** A request to generate one file. */
export type MediaRequest = {
  [Kind in MediaKind]: { kind: Kind; request: MediaRequests[Kind] }
}[MediaKind]

/** Creation endpoints, below the version. */
export const CREATION_PATHS = {
  video: 'videos/vidgen-generate',
  image: 'images/imagegen-generate',
  sound: 'sounds/soundgen-generate',
} as const satisfies Record<MediaKind, string>

/** The model's name as callers know it, the one that price labels begin with: `images/pixgen-generate` → `pixgen`. */
export function toModelName(creationPath: string): string {
  return creationPath.replace(/^.*\//, '').replace(/-generate$/, '')
}
