import { Type } from 'typebox'
import { IMAGE_ASPECT_RATIOS, IMAGE_DEFAULTS, type ImageRequest } from '../../../contract/tasks.ts'
import type { GenerationProvider } from '../provider.ts'
import { createDemoProvider } from './demo-provider.ts'
import { drawDemoPicture } from './picture.ts'
import { toShownText } from './text.ts'

const DemoImage = Type.Object({
  prompt: Type.String(),
  aspectRatio: Type.Enum(IMAGE_ASPECT_RATIOS),
})

const SIZES = {
  '1:1': { width: 1024, height: 1024 },
  '16:9': { width: 1280, height: 720 },
  '9:16': { width: 720, height: 1280 },
} as const

/** Makes pictures that show their prompt and say they are a demo: real PNG files. */
export function createDemoImageProvider(): GenerationProvider<ImageRequest> {
  return createDemoProvider({
    schema: DemoImage,
    describe({ prompt, aspect_ratio = IMAGE_DEFAULTS.aspect_ratio }: ImageRequest) {
      return { prompt: toShownText(prompt), aspectRatio: aspect_ratio }
    },
    async make({ prompt, aspectRatio }) {
      const caption = `text to image · ${aspectRatio}`
      const svg = drawDemoPicture({ ...SIZES[aspectRatio], caption, text: prompt })
      // Loaded with the first picture: a native library that most services never need.
      const { rasterize } = await import('./raster.ts')
      const image = await rasterize(svg)
      return { bytes: image.asPng(), contentType: 'image/png' }
    },
  })
}
