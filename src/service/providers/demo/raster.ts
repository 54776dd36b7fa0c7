import { fileURLToPath } from 'node:url'
import { type RenderedImage, type ResvgRenderOptions, renderAsync } from '@resvg/resvg-js'
import { FONT_FAMILY } from './text.ts'

// A slim machine has no fonts at all, and resvg leaves text without a font out silently.
const FONT_FILE = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf'),
)
const OPTIONS: ResvgRenderOptions = {
  font: { loadSystemFonts: false, fontFiles: [FONT_FILE], defaultFontFamily: FONT_FAMILY },
}

/** Makes pixels of an SVG, off the main thread. */
export async function rasterize(svg: string): Promise<RenderedImage> {
  return await renderAsync(svg, OPTIONS)
}
