import { fileURLToPath } from 'node:url'
import { Resvg, renderAsync } from '@resvg/resvg-js'
import { FONT_FAMILY } from './text.ts'

// A slim machine has no fonts at all, and text without a font is left out silently.
const FONT_FILE = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))
const OPTIONS = {
  font: { loadSystemFonts: false, fontFiles: [FONT_FILE], defaultFontFamily: FONT_FAMILY },
}

/** Makes pixels of an SVG, four bytes each: red, green, blue, alpha. Blocks while it does. */
export function rasterize(svg: string): Uint8Array {
  return new Uint8Array(new Resvg(svg, OPTIONS).render().pixels)
}

/** Makes a PNG of an SVG, off the main thread. */
export async function rasterizeToPng(svg: string): Promise<Uint8Array> {
  return (await renderAsync(svg, OPTIONS)).asPng()
}
