import { clipSize, type DemoClip } from './clip.ts'
import { drawPrompt, drawText } from './text.ts'

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
  const prompt = drawPrompt(clip.prompt, {
    left: 80 * unit,
    top,
    width: width - 160 * unit,
    height: band.top - top - 30 * unit,
    unit,
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="night" x2="1" y2="1"><stop stop-color="#16213e"/><stop offset="1" stop-color="#3a1d4f"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#night)"/>
${drawText('demo', { x: width / 2, y: 104 * unit, size: 76 * unit, fill: '#ffd166' })}
${drawText(`${kind} · ${clip.quality} · ${clip.duration} s`, { x: width / 2, y: 154 * unit, size: 28 * unit, fill: '#b8c0e0' })}
${prompt}
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
