/** A thread that draws one chart and ends: what resvg takes, V8 does not see and never gives back. */
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'
import { drawSvg } from './draw-svg.ts'
import { LOOK } from './look.ts'

/** Pixels of the picture for one of a phone's, which are two or three. */
const SHARPNESS = 3

const FONTS = ['400Regular/PTSans_400Regular.ttf', '700Bold/PTSans_700Bold.ttf']

// resvg leaves text without a font out silently, and a slim machine has none.
const fontFiles = FONTS.map((font) =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/pt-sans/${font}`)),
)
const image = new Resvg(drawSvg(workerData), {
  font: { loadSystemFonts: false, fontFiles, defaultFontFamily: LOOK.fontFamily },
  fitTo: { mode: 'zoom', value: SHARPNESS },
})
parentPort?.postMessage(new Uint8Array(image.render().asPng()))
