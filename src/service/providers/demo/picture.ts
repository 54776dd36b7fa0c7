import { createHash } from 'node:crypto'
import { drawLine, drawText } from './text.ts'

const HILLS = 4
const HILL_POINTS = 48

/** The content of a demo picture. Its scenery comes from the text: the same text, the same scenery. */
export interface DemoPicture {
  width: number
  height: number
  caption: string
  text: string
  /** How much of the clip is over in this frame of it, from 0 to 1. The sun rises and a bar fills. */
  progress?: number
}

/** Draws a sun over hills, and before them the word "demo", the caption and a panel with the text. @returns An SVG. */
export function drawDemoPicture({ width, height, caption, text, progress }: DemoPicture): string {
  const unit = Math.min(width, height) / 720
  const chance = createChance(text)
  const hue = Math.round(chance() * 360)
  const sun = {
    x: width * (0.15 + 0.7 * chance()),
    y: height * (0.9 - 0.3 * (progress ?? 1)),
    radius: (90 + 110 * chance()) * unit,
  }
  const panel = {
    left: 60 * unit,
    top: 190 * unit,
    width: width - 120 * unit,
    height: height * 0.74 - 190 * unit,
  }
  const textBox = { ...panel, left: panel.left + 20 * unit, width: panel.width - 40 * unit, unit }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="sky" x2="0.4" y2="1"><stop stop-color="${colour(hue, 50, 18)}"/><stop offset="1" stop-color="${colour(hue + 60, 65, 52)}"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#sky)"/>
<circle cx="${toPixels(sun.x)}" cy="${toPixels(sun.y)}" r="${toPixels(sun.radius)}" fill="${colour(hue + 180, 85, 70)}"/>
${drawHills({ width, height, hue, chance })}
<rect x="${panel.left}" y="${panel.top}" width="${panel.width}" height="${toPixels(panel.height)}" rx="${24 * unit}" fill="#0b1020" fill-opacity="0.45"/>
${drawLine('demo', { x: width / 2, y: 110 * unit, size: 84 * unit, fill: '#ffd166' })}
${drawLine(caption, { x: width / 2, y: 160 * unit, size: 32 * unit, fill: '#e6e9f5' })}
${drawText(text, textBox)}
${progress === undefined ? '' : `<rect y="${height - 16 * unit}" width="${toPixels(width * progress)}" height="${16 * unit}" fill="#ffffff"/>`}
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
