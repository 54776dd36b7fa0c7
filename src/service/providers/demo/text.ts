/** Family name of the font in `raster.ts`. */
export const FONT_FAMILY = 'PT Sans'

/** More does not fit into a picture at a size that can be read. */
const SHOWN_CHARS_MAX = 400
/** Characters that the font would draw as boxes: other scripts, emoji, marks without a letter. */
const WITHOUT_GLYPH = /[^ -~¡-¬®-ſЀ-ӿ–—‘’‚“”„†‡•…‰‹›€₴₽№™−√∞≈≠≤≥]/gu

/** Sizes tried for a text, largest first, in pixels of a 720-pixel short side. */
const FONT_SIZES = [64, 48, 38, 30]
const LINE_HEIGHT = 1.35
const ELLIPSIS = '…'

interface TextBox {
  left: number
  top: number
  width: number
  height: number
  /** Pixels of this picture for one of a 720-pixel short side. */
  unit: number
}

/** Makes of a prompt what a picture can show of it: one line of characters that the font has, cut with an ellipsis. */
export function toShownText(prompt: string): string {
  const text = prompt
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(WITHOUT_GLYPH, '')
    .replace(/ +/g, ' ')
    .trim()
  if (text === '') return ELLIPSIS
  return text.length <= SHOWN_CHARS_MAX ? text : text.slice(0, SHOWN_CHARS_MAX).trimEnd() + ELLIPSIS
}

/** Draws one line of text, its middle at `x`, its baseline at `y`. */
export function drawLine(
  text: string,
  { x, y, size, fill = '#ffffff' }: { x: number; y: number; size: number; fill?: string },
): string {
  return `<text x="${x}" y="${y.toFixed(1)}" text-anchor="middle" font-family="${FONT_FAMILY}" font-size="${size}" fill="${fill}">${escapeXml(text)}</text>`
}

/** Draws a text in the middle of a box: as large as it fits whole, otherwise cut. */
export function drawText(text: string, box: TextBox): string {
  const { lines, fontSize } = fitText(text, box)
  const lineHeight = fontSize * LINE_HEIGHT
  const middle = box.top + box.height / 2
  const firstBaseline = middle - ((lines.length - 1) / 2) * lineHeight + fontSize / 3
  const x = box.left + box.width / 2
  return lines
    .map((line, index) =>
      drawLine(line, { x, y: firstBaseline + index * lineHeight, size: fontSize }),
    )
    .join('\n')
}

/** Makes a text harmless inside an SVG. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Breaks each line of a text into lines of at most `widthEm` font sizes; a word longer than that is broken inside. */
export function wrapText(text: string, widthEm: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, widthEm))
}

function wrapLine(text: string, widthEm: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((word) => breakWord(word, widthEm))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (measure(longer) > widthEm && line !== '') {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

function breakWord(word: string, widthEm: number): string[] {
  const parts: string[] = []
  let part = ''
  for (const char of word) {
    if (part !== '' && measure(part + char) > widthEm) {
      parts.push(part)
      part = ''
    }
    part += char
  }
  return [...parts, part]
}

function fitText(text: string, box: TextBox): { lines: string[]; fontSize: number } {
  let fitted = { lines: [ELLIPSIS], fontSize: box.unit }
  for (const size of FONT_SIZES) {
    const fontSize = size * box.unit
    const linesMax = Math.floor(box.height / (fontSize * LINE_HEIGHT))
    const lines = wrapText(text, box.width / fontSize)
    if (lines.length <= linesMax) return { lines, fontSize }
    const kept = lines.slice(0, linesMax)
    const last = (kept.pop() ?? '').slice(0, -1).trimEnd()
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
  if (/[ .,:;'|!()[\]iljftrI]/.test(char)) return 0.35
  if (/[%&@mMW№‰™∞—…ЖМФШЩЫЮ]/.test(char)) return 1
  return /[\p{Lu}wжмфшщыю]/u.test(char) ? 0.8 : 0.6
}
