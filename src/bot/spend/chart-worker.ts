/** Draws one card in a thread that ends with it: V8 does not see the memory of resvg and never frees it. */
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'
import { drawCard, FONT_FAMILY } from './card.ts'

/** Pixels of the picture for each pixel of the card: a phone has two or three. */
const SHARPNESS = 3

const FONTS = ['400Regular/PTSans_400Regular.ttf', '700Bold/PTSans_700Bold.ttf']

// resvg leaves text without a font out silently, and a slim machine has none.
const fontFiles = FONTS.map((font) =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/pt-sans/${font}`)),
)
const image = new Resvg(drawCard(workerData), {
  font: { loadSystemFonts: false, fontFiles, defaultFontFamily: FONT_FAMILY },
  fitTo: { mode: 'zoom', value: SHARPNESS },
})
parentPort?.postMessage(new Uint8Array(image.render().asPng()))
