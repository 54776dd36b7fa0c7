import type { VideoQuality } from '../../../contract/video.ts'

/** The size of a clip's frames, in pixels. */
export function frameSize({ quality, upright }: { quality: VideoQuality; upright: boolean }) {
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = upright ? [short, long] : [long, short]
  return { width, height }
}
