import { splitGraphemes } from './clip.ts'

/** Family name of the font in `raster.ts`. */
export const FONT_FAMILY = 'DejaVu Sans'

/** Sizes tried for the prompt, largest first, in pixels of a 720-pixel short side. */
const PROMPT_FONT_SIZES = [64, 48, 38, 30]
const LINE_HEIGHT = 1.35
const ELLIPSIS = '…'

/** A part of a picture, in its pixels. */
interface TextBox {
  left: number
  top: number
  width: number
  height: number
  /** Pixels of this picture for one of a 720-pixel short side. */
  unit: number
}

/** Draws one line of text, its middle at `x`, its baseline at `y`. */
export function drawText(
  text: string,
  { x, y, size, fill = '#ffffff' }: { x: number; y: number; size: number; fill?: string },
): string {
  return `<text x="${x}" y="${y.toFixed(1)}" text-anchor="middle" font-family="${FONT_FAMILY}" font-size="${size}" fill="${fill}">${escapeXml(text)}</text>`
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

/** Draws a prompt in the middle of a box: as large as it fits whole, otherwise cut. */
export function drawPrompt(prompt: string, box: TextBox): string {
  const { lines, fontSize } = fitPrompt(prompt, box)
  const lineHeight = fontSize * LINE_HEIGHT
  const middle = box.top + box.height / 2
  const firstBaseline = middle - ((lines.length - 1) / 2) * lineHeight + fontSize / 3
  const x = box.left + box.width / 2
  return lines
    .map((line, index) =>
      drawText(line, { x, y: firstBaseline + index * lineHeight, size: fontSize }),
    )
    .join('\n')
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
