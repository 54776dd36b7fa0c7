import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import {
  VIDEO_DEFAULTS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../contract/video.ts'
import type { GenerationProvider } from '../provider.ts'
import { createDemoProvider } from './demo-provider.ts'

/** Which of the ready clips it is. */
const DemoClip = Type.Object({
  duration: Type.Enum(VIDEO_DURATIONS),
  quality: Type.Enum(VIDEO_QUALITIES),
  upright: Type.Boolean(),
})
type DemoClip = Static<typeof DemoClip>

/**
 * Answers each request with the ready clip of its length, quality and shape, which says that it is a demo:
 * a real MP4 file. A request with a reference picture gets a clip that lies down unless it
 * names a shape.
 */
export function createDemoVideoProvider(): GenerationProvider<VideoRequest> {
  return createDemoProvider({
    schema: DemoClip,
    describe: chooseDemoClip,
    async make(clip) {
      const bytes = await readFile(describeDemoClip(clip).file)
      return { bytes, contentType: 'video/mp4' }
    },
  })
}

/** Chooses the clip for a checked request. */
export function chooseDemoClip(request: VideoRequest): DemoClip {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  return { duration, quality, upright: request.aspect_ratio === '720:1280' }
}

/** Says how large a clip is, in pixels, and where its file is. `clips/make-clips.ts` writes those files. */
export function describeDemoClip({ duration, quality, upright }: DemoClip) {
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = upright ? [short, long] : [long, short]
  const file = new URL(`./clips/${width}x${height}-${duration}s.mp4`, import.meta.url)
  return { width, height, file }
}
