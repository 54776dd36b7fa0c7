import { parentPort, workerData } from 'node:worker_threads'
import encoderModule from 'h264-mp4-encoder'
import { Value } from 'typebox/value'
import { DemoClip } from './clip.ts'
import { moveMoovToFront } from './mp4-faststart.ts'
import { markKeyFrames } from './mp4-key-frames.ts'
import { drawBand, drawStill, layOut, type PictureLayout } from './picture.ts'
import { rasterize } from './raster.ts'

const FRAMES_PER_SECOND = 12
const KEY_FRAME_INTERVAL = 2 * FRAMES_PER_SECOND
/** 10 (best) to 51; at 24 small letters stay clean and 5 s of 720p are about 150 kB. */
const QUANTIZATION = 24
/** 0 (best) to 10 (fastest). */
const ENCODER_SPEED = 8
/** How long the waves take to drift once through the picture. */
const DRIFT_SECONDS = 10
const RGBA_BYTES = 4

const clip = Value.Parse(DemoClip, workerData)
const mp4 = markKeyFrames(await encode(clip), keyFrames(clip))
parentPort?.postMessage(moveMoovToFront(mp4))

async function encode(clip: DemoClip): Promise<Uint8Array> {
  const layout = layOut(clip)
  // One picture is kept and changed in place: a new one for each frame would be half a gigabyte.
  const picture = rasterize(drawStill(clip))
  const band = rasterize(drawBand(clip))
  const frames = clip.duration * FRAMES_PER_SECOND

  const encoder = await encoderModule.createH264MP4Encoder()
  encoder.width = layout.width
  encoder.height = layout.height
  encoder.frameRate = FRAMES_PER_SECOND
  encoder.groupOfPictures = KEY_FRAME_INTERVAL
  encoder.quantizationParameter = QUANTIZATION
  encoder.speed = ENCODER_SPEED
  encoder.initialize()
  for (let frame = 0; frame < frames; frame++) {
    const drift = frame / (DRIFT_SECONDS * FRAMES_PER_SECOND)
    paintBand(picture, band, layout, Math.round(drift * layout.width))
    paintBar(picture, layout, (frame + 1) / frames)
    encoder.addFrameRgba(picture)
  }
  encoder.finalize()
  const file = encoder.FS.readFile(encoder.outputFilename)
  encoder.delete()
  return file
}

/** The encoder makes them in time but does not say so in the file. */
function keyFrames({ duration }: DemoClip): number[] {
  const count = Math.ceil((duration * FRAMES_PER_SECOND) / KEY_FRAME_INTERVAL)
  return Array.from({ length: count }, (_, index) => 1 + index * KEY_FRAME_INTERVAL)
}

/** Copies the band into the picture, its left edge `shift` pixels in, wrapped round. */
function paintBand(picture: Uint8Array, band: Uint8Array, layout: PictureLayout, shift: number) {
  const rowBytes = layout.width * RGBA_BYTES
  const cut = shift * RGBA_BYTES
  for (let row = 0; row < layout.band.height; row++) {
    const from = row * rowBytes
    const to = (layout.band.top + row) * rowBytes
    picture.set(band.subarray(from + cut, from + rowBytes), to)
    picture.set(band.subarray(from, from + cut), to + rowBytes - cut)
  }
}

function paintBar(picture: Uint8Array, { width, bar }: PictureLayout, done: number) {
  const filled = Math.round(bar.width * done)
  for (let row = bar.top; row < bar.top + bar.height; row++) {
    const from = (row * width + bar.left) * RGBA_BYTES
    picture.fill(255, from, from + filled * RGBA_BYTES)
  }
}
