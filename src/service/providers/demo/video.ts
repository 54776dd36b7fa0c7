import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import {
  VIDEO_DEFAULTS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../contract/video.ts'
import type { UrlGuard } from '../../../platform/http/find-target.ts'
import type { GenerationProvider } from '../provider.ts'
import { createDemoProvider } from './demo-provider.ts'
import { frameSize } from './frame-size.ts'
import { makeFromPicture } from './still/make-from-picture.ts'

/** Which of the ready clips it is, or what is made from a picture. */
const DemoClip = Type.Object({
  duration: Type.Enum(VIDEO_DURATIONS),
  quality: Type.Enum(VIDEO_QUALITIES),
  /** Undefined: as the picture is. */
  upright: Type.Optional(Type.Boolean()),
  imageUrl: Type.Optional(Type.String()),
})
type DemoClip = Static<typeof DemoClip>

/**
 * Answers each request with the ready clip of its length, quality and shape, which says that it is a demo:
 * a real MP4 file. From a reference picture, PNG or JPEG, a clip is made in which it stands still.
 *
 * @param guard Where pictures may be fetched from.
 */
export function createDemoVideoProvider(guard: UrlGuard): GenerationProvider<VideoRequest> {
  return createDemoProvider({
    schema: DemoClip,
    describe: chooseDemoClip,
    async make({ imageUrl, ...clip }, signal) {
      if (imageUrl !== undefined) return makeFromPicture(imageUrl, clip, { guard, signal })
      const bytes = await readFile(describeDemoClip(clip).file)
      return { bytes, contentType: 'video/mp4' }
    },
  })
}

/** Chooses the clip for a checked request. */
export function chooseDemoClip(request: VideoRequest): DemoClip {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  const { aspect_ratio, image_url: imageUrl } = request
  return {
    duration,
    quality,
    ...(aspect_ratio !== undefined && { upright: aspect_ratio === '720:1280' }),
    ...(imageUrl !== undefined && { imageUrl }),
  }
}

/** Says how large a clip is, in pixels, and where its file is. `clips/make-clips.ts` writes those files. */
export function describeDemoClip({ duration, quality, upright = false }: DemoClip) {
  const { width, height } = frameSize({ quality, upright })
  const file = new URL(`./clips/${width}x${height}-${duration}s.mp4`, import.meta.url)
  return { width, height, file }
}
