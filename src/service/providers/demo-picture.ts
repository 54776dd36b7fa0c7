import { clipSize, type DemoClip, splitGraphemes } from './demo-clip.ts'

/** Family name of the font in `demo-video-worker.ts`. */
const FONT_FAMILY = 'DejaVu Sans'

/** Sizes tried for the prompt, largest first, in pixels of a 720-pixel short side. */
const PROMPT_FONT_SIZES = [64, 48, 38, 30]
const LINE_HEIGHT = 1.35
const ELLIPSIS = '…'

/** Whole waves in the drifting band, so that its right end meets its left one. */
const WAVES = 3
const WAVE_POINTS = 96

/** Where things stand in the picture, in pixels. */
export interface PictureLayout {
  width: number
  height: number
  /** The band of waves that drifts, over the whole width. */
  band: { top: number; height: number }
  /** The bar that fills as the clip goes on. */
  bar: { left: number; top: number; width: number; height: number }
}

/** Places the moving parts for a clip's size. */
export function layOut(clip: DemoClip): PictureLayout {
  const { width, height } = clipSize(clip)
  const unit = Math.min(width, height) / 720
  return {
    width,
    height,
    band: { top: Math.round(height * 0.76), height: Math.round(height * 0.14) },
    bar: {
      left: 60 * unit,
      top: height - 44 * unit,
      width: width - 120 * unit,
      height: 16 * unit,
    },
  }
}

/** Draws what stands still: the word "demo", the prompt, what was asked for, the empty bar. */
export function drawStill(clip: DemoClip): string {
  const { width, height, band, bar } = layOut(clip)
  const unit = Math.min(width, height) / 720
  const kind = clip.fromImage ? 'image to video' : 'text to video'
  const top = 200 * unit
  const prompt = fitPrompt(clip.prompt, {
    width: width - 160 * unit,
    height: band.top - top - 30 * unit,
    unit,
  })
  const lineHeight = prompt.fontSize * LINE_HEIGHT
  const middle = (top + band.top - 30 * unit) / 2
  const firstBaseline = middle - ((prompt.lines.length - 1) / 2) * lineHeight + prompt.fontSize / 3
  const lines = prompt.lines.map((line, index) =>
    drawText(line, { x: width / 2, y: firstBaseline + index * lineHeight, size: prompt.fontSize }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="night" x2="1" y2="1"><stop stop-color="#16213e"/><stop offset="1" stop-color="#3a1d4f"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#night)"/>
${drawText('demo', { x: width / 2, y: 104 * unit, size: 76 * unit, fill: '#ffd166' })}
${drawText(`${kind} · ${clip.quality} · ${clip.duration} s`, { x: width / 2, y: 154 * unit, size: 28 * unit, fill: '#b8c0e0' })}
${lines.join('\n')}
<rect x="${bar.left}" y="${bar.top}" width="${bar.width}" height="${bar.height}" fill="#0b1020"/>
</svg>`
}

/** Draws the band of waves. Shifted sideways by any distance and wrapped round, it has no seam. */
export function drawBand(clip: DemoClip): string {
  const { width, band } = layOut(clip)
  const waves = [
    { fill: '#2b3a67', rise: 0.35, swing: 0.22, turn: 0 },
    { fill: '#b5467a', rise: 0.55, swing: 0.18, turn: 0.4 },
    { fill: '#ffd166', rise: 0.8, swing: 0.12, turn: 0.75 },
  ].map(({ fill, rise, swing, turn }) => {
    const points = Array.from({ length: WAVE_POINTS + 1 }, (_, index) => {
      const along = index / WAVE_POINTS
      const y = band.height * (rise - swing * Math.sin(2 * Math.PI * (WAVES * along + turn)))
      return `${(along * width).toFixed(1)},${y.toFixed(1)}`
    })
    return `<polygon fill="${fill}" points="0,${band.height} ${points.join(' ')} ${width},${band.height}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${band.height}">
<rect width="${width}" height="${band.height}" fill="#1d2547"/>
${waves.join('\n')}
</svg>`
}

/** Makes a text harmless inside an SVG. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Breaks a text into lines of at most `widthEm` font sizes; a word longer than a line is broken inside. */
export function wrapText(text: string, widthEm: number): string[] {
  const lines: string[] = []
  let line = ''
  let lineEm = 0
  for (const word of text.split(' ')) {
    const wordEm = measure(word)
    if (line !== '' && lineEm + measure(' ') + wordEm <= widthEm) {
      line += ` ${word}`
      lineEm += measure(' ') + wordEm
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    lineEm = 0
    for (const grapheme of splitGraphemes(word)) {
      const graphemeEm = measure(grapheme)
      if (line !== '' && lineEm + graphemeEm > widthEm) {
        lines.push(line)
        line = ''
        lineEm = 0
      }
      line += grapheme
      lineEm += graphemeEm
    }
  }
  if (line !== '') lines.push(line)
  return lines
}

interface TextBox {
  width: number
  height: number
  /** Pixels of this picture for one of a 720-pixel short side. */
  unit: number
}

/** Takes the largest size at which the whole prompt fits its box; at the smallest one, cuts it. */
function fitPrompt(prompt: string, box: TextBox): { lines: string[]; fontSize: number } {
  let fitted = { lines: [ELLIPSIS], fontSize: box.unit }
  for (const size of PROMPT_FONT_SIZES) {
    const fontSize = size * box.unit
    const linesMax = Math.floor(box.height / (fontSize * LINE_HEIGHT))
    const lines = wrapText(prompt, box.width / fontSize)
    if (lines.length <= linesMax) return { lines, fontSize }
    const kept = lines.slice(0, linesMax)
    const last = splitGraphemes(kept.pop() ?? '')
      .slice(0, -1)
      .join('')
      .trimEnd()
    fitted = { lines: [...kept, last + ELLIPSIS], fontSize }
  }
  return fitted
}

function drawText(
  text: string,
  { x, y, size, fill = '#ffffff' }: { x: number; y: number; size: number; fill?: string },
): string {
  return `<text x="${x}" y="${y.toFixed(1)}" text-anchor="middle" font-family="${FONT_FAMILY}" font-size="${size}" fill="${fill}">${escapeXml(text)}</text>`
}

/** Width of a text in font sizes, a little too wide rather than too narrow. */
function measure(text: string): number {
  let em = 0
  for (const char of text) em += charEm(char)
  return em
}

function charEm(char: string): number {
  if (/\p{M}/u.test(char)) return 0
  if (/[ .,:;'|!()[\]iljftrI]/.test(char)) return 0.42
  if (/[mwMW@%жмфшщыюЖМФШЩЫЮ—…]/.test(char)) return 1.08
  if (/\p{Lu}/u.test(char)) return 0.8
  if (/[a-zа-яё0-9]/.test(char)) return 0.66
  return /[\p{L}\p{P}]/u.test(char) && char < '\u2e80' ? 0.84 : 1.1
}
