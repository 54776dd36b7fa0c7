import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import {
  findVideoProblems,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../../contract/tasks.ts'
import { drawDemoPicture } from '../picture.ts'
import { rasterize } from '../raster.ts'
import { chooseDemoClip, describeDemoClip } from '../video.ts'

const FRAMES_PER_SECOND = 24
/** A player can begin at every so many seconds. */
const KEY_FRAME_SECONDS = 5
/** x264's: 0 (best) to 51. With 34 the letters are clean and every clip is below 60 kB. */
const RATE_FACTOR = 34

const TEXT = 'Made without a neural network\nСделано без нейросети'

/**
 * Makes the demo's clips, one for each length, quality and shape that the contract offers: `npm run demo:clips`.
 *
 * Needs ffmpeg with libx264 (Debian: `apt-get install ffmpeg`). The same versions of ffmpeg, resvg and the
 * font make the same bytes.
 */
async function makeClips(): Promise<void> {
  for (const request of listOffered()) {
    const { width, height, file } = describeDemoClip(chooseDemoClip(request))
    const path = fileURLToPath(file)
    const caption = `${request.quality} · ${request.duration} s`
    await makeClip({ width, height, path, duration: request.duration, caption })
    process.stdout.write(`${basename(path)}: ${(await stat(path)).size} bytes\n`)
  }
}

function listOffered() {
  return VIDEO_DURATIONS.flatMap((duration) =>
    VIDEO_QUALITIES.flatMap((quality) =>
      VIDEO_ASPECT_RATIOS.map((aspect_ratio) => ({
        prompt: TEXT,
        duration,
        quality,
        aspect_ratio,
      })),
    ),
  ).filter((request: VideoRequest) => findVideoProblems(request).length === 0)
}

interface Clip {
  width: number
  height: number
  duration: number
  caption: string
  path: string
}

async function makeClip(clip: Clip): Promise<void> {
  const { width, height, path } = clip
  const args = [
    ...['-hide_banner', '-loglevel', 'error', '-y'],
    ...['-f', 'rawvideo', '-pixel_format', 'rgba', '-video_size', `${width}x${height}`],
    ...['-framerate', `${FRAMES_PER_SECOND}`, '-i', 'pipe:0'],
    // Players take HD for BT.709; without the conversion the colours would be off.
    ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...['-c:v', 'libx264', '-preset', 'veryslow', '-tune', 'animation', '-crf', `${RATE_FACTOR}`],
    // More reference frames than four are above what phones decode in hardware.
    ...['-refs', '4', '-g', `${KEY_FRAME_SECONDS * FRAMES_PER_SECOND}`],
    // Same input, same bytes: one thread, no version and no date in the file.
    ...['-threads', '1', '-fflags', '+bitexact', '-flags:v', '+bitexact'],
    // A player can begin before it has the whole file.
    ...['-movflags', '+faststart', path],
  ]
  const ffmpeg = spawn('ffmpeg', args, { stdio: ['pipe', 'inherit', 'inherit'] })
  const exited = once(ffmpeg, 'exit')
  await pipeline(Readable.from(drawFrames(clip)), ffmpeg.stdin)
  const [code] = await exited
  if (code !== 0) throw new Error(`Cannot make ${path}: ffmpeg ended with ${code}`)
}

async function* drawFrames({ width, height, duration, caption }: Clip) {
  const frames = duration * FRAMES_PER_SECOND
  for (let frame = 1; frame <= frames; frame++) {
    const svg = drawDemoPicture({ width, height, caption, text: TEXT, progress: frame / frames })
    yield (await rasterize(svg)).pixels
  }
}

await makeClips()
