import { type Static, Type } from 'typebox'
import { IMAGE_ASPECT_RATIOS, IMAGE_DEFAULTS, type ImageRequest } from '../../../contract/image.ts'
import { createGuard } from '../../../guard.ts'
import type { GenerationProvider, GenerationState, GenerationStep } from '../provider.ts'
import { DAMAGED } from '../submission.ts'
import { type DemoPicture, drawDemoPicture } from './picture.ts'
import { toShownText } from './text.ts'

/** Everything that a demo image depends on. Stored as JSON with the task. */
const DemoImage = Type.Object({
  prompt: Type.String(),
  aspectRatio: Type.Enum(IMAGE_ASPECT_RATIOS),
})
const isDemoImage = createGuard(DemoImage)
type DemoImage = Static<typeof DemoImage>

const SIZES = {
  '1:1': { width: 1024, height: 1024 },
  '16:9': { width: 1280, height: 720 },
  '9:16': { width: 720, height: 1280 },
} as const

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
    const { rasterize } = await import('./raster.ts')
    const image = await rasterize(drawDemoPicture(toPicture(operation)))
    signal.throwIfAborted()
    return {
      status: 'success',
      results: [
        { type: 'bytes', bytes: image.asPng(), extension: 'png', contentType: 'image/png' },
      ],
    }
  }
}

function toPicture({ prompt, aspectRatio }: DemoImage): DemoPicture {
  return { ...SIZES[aspectRatio], caption: `text to image · ${aspectRatio}`, text: prompt }
}
