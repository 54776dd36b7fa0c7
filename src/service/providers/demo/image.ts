import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { IMAGE_ASPECT_RATIOS, IMAGE_DEFAULTS, type ImageRequest } from '../../../contract/image.ts'
import { createGuard } from '../../config/guard.ts'
import type { GenerationProvider, GenerationState, GenerationStep } from '../provider.ts'
import { DAMAGED } from '../submission.ts'
import { toShownText } from './clip.ts'
import { drawPrompt, drawText } from './text.ts'

/** Everything that a demo image depends on. Stored as JSON with the task. */
export const DemoImage = Type.Object({
  prompt: Type.String(),
  aspectRatio: Type.Enum(IMAGE_ASPECT_RATIOS),
})
const isDemoImage = createGuard(DemoImage)
export type DemoImage = Static<typeof DemoImage>

const SIZES = {
  '1:1': { width: 1024, height: 1024 },
  '16:9': { width: 1280, height: 720 },
  '9:16': { width: 720, height: 1280 },
} as const

const HILLS = 4
const HILL_POINTS = 48

/** Makes pictures on this machine that show their prompt and say they are a demo: real PNG files, nothing paid. */
export function createDemoImageProvider(): GenerationProvider<ImageRequest> {
  return { start, check }

  async function start(params: ImageRequest): Promise<DemoImage> {
    const { prompt, aspect_ratio = IMAGE_DEFAULTS.aspect_ratio } = params
    return { prompt: toShownText(prompt), aspectRatio: aspect_ratio }
  }

  async function check(
    operation: unknown,
    { signal }: Pick<GenerationStep, 'signal'>,
  ): Promise<GenerationState> {
    signal.throwIfAborted()
    if (!isDemoImage(operation)) return DAMAGED
    // Loaded with the first picture: a native library that most services never need.
    const { rasterizeToPng } = await import('./raster.ts')
    const bytes = await rasterizeToPng(drawDemoImage(operation))
    signal.throwIfAborted()
    return {
      status: 'success',
      results: [{ type: 'bytes', bytes, extension: 'png', contentType: 'image/png' }],
    }
  }
}

/** Draws a sky over hills, with colours and shapes of the prompt's own, and the prompt on a panel before them. */
export function drawDemoImage({ prompt, aspectRatio }: DemoImage): string {
  const { width, height } = SIZES[aspectRatio]
  const unit = Math.min(width, height) / 720
  const chance = createChance(prompt)
  const hue = Math.round(chance() * 360)
  const panel = {
    left: 60 * unit,
    top: 190 * unit,
    width: width - 120 * unit,
    height: height * 0.74 - 190 * unit,
  }
  const text = { ...panel, left: panel.left + 20 * unit, width: panel.width - 40 * unit, unit }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="sky" x2="0.4" y2="1"><stop stop-color="${colour(hue, 50, 18)}"/><stop offset="1" stop-color="${colour(hue + 60, 65, 52)}"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#sky)"/>
<circle cx="${toPixels(width * (0.15 + 0.7 * chance()))}" cy="${toPixels(height * 0.6)}" r="${toPixels((90 + 110 * chance()) * unit)}" fill="${colour(hue + 180, 85, 70)}"/>
${drawHills({ width, height, hue, chance })}
<rect x="${panel.left}" y="${panel.top}" width="${panel.width}" height="${toPixels(panel.height)}" rx="${24 * unit}" fill="#0b1020" fill-opacity="0.45"/>
${drawText('demo', { x: width / 2, y: 110 * unit, size: 84 * unit, fill: '#ffd166' })}
${drawText(`text to image · ${aspectRatio}`, { x: width / 2, y: 160 * unit, size: 28 * unit, fill: '#e6e9f5' })}
${drawPrompt(prompt, text)}
</svg>`
}

interface Scenery {
  width: number
  height: number
  hue: number
  chance: () => number
}

function drawHills({ width, height, hue, chance }: Scenery): string {
  return Array.from({ length: HILLS }, (_, index) => {
    const base = height * (0.68 + 0.08 * index)
    const swing = height * (0.03 + 0.04 * chance())
    const waves = 0.6 + 1.6 * chance()
    const turn = chance()
    const points = Array.from({ length: HILL_POINTS + 1 }, (_, point) => {
      const along = point / HILL_POINTS
      const y = base - swing * Math.sin(2 * Math.PI * (waves * along + turn))
      return `${toPixels(along * width)},${toPixels(y)}`
    })
    const fill = colour(hue + 100 + 18 * index, 45, 40 - 8 * index)
    return `<polygon fill="${fill}" points="0,${height} ${points.join(' ')} ${width},${height}"/>`
  }).join('\n')
}

/** Numbers from 0 to 1 that look random and are always the same for one text. */
function createChance(text: string): () => number {
  const digest = createHash('sha256').update(text).digest()
  let index = 0
  return () => digest.readUInt8(index++ % digest.length) / 255
}

function colour(hue: number, saturation: number, lightness: number): string {
  return `hsl(${hue % 360}, ${saturation}%, ${lightness}%)`
}

function toPixels(value: number): string {
  return value.toFixed(1)
}
