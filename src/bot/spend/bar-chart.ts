/**
 * Draws amounts as a bar chart in SVG, for the pictures in chats and for the page.
 *
 * Without `widthPx` horizontal positions are percentages: the chart fills the width of its container and its text keeps
 * its size. Colours are presentation attributes, so a style sheet can replace them, and a strict content security
 * policy permits them.
 */
import type { Language } from '../texts/texts.ts'

export interface BarChart {
  bars: readonly Bar[]
  language: Language
  description: string
  emptyText: string
  widthPx?: number | undefined
}

export interface Bar {
  label: string
  period?: string
  amount: string
  /** From bottom to top. */
  parts: readonly BarPart[]
}

export interface BarPart {
  microRub: bigint
  fill: string
}

/** Width of the amounts to the left of the plot: the caller leaves it free. */
export const AXIS_WIDTH_PX = 68
export const CHART_HEIGHT_PX = 200

export const CHART_COLOURS = {
  ground: '#ffffff',
  text: '#1d2733',
  faintText: '#5d6b7a',
  line: '#e4e8ed',
} as const

const PLOT_TOP = 18
const PLOT_BOTTOM = 172
const MIDDLE = (PLOT_TOP + PLOT_BOTTOM) / 2
const TICKS = 3
const LABELS_MAX = 4
const BAR_SHARE = 0.74
/** Share of the plot, so that a single bar does not fill it. */
const BAR_WIDTH_MAX = 0.08
/** A bar that is this many times as high as the second highest bar would flatten all others: it is cut. */
const CUT_FROM_TIMES = 4

type ToX = (share: number) => string
type ToY = (rub: number) => number

/** @returns An `<svg>` element, {@link CHART_HEIGHT_PX} high. */
export function drawBarChart(chart: BarChart): string {
  const { bars, description, emptyText, widthPx } = chart
  const x: ToX = (share) =>
    widthPx === undefined ? `${round(share * 100)}%` : String(round(share * widthPx))
  const isEmpty = bars.every(({ parts }) => parts.every(({ microRub }) => microRub === 0n))
  const content = isEmpty
    ? drawText(emptyText, { x: x(0.5), y: MIDDLE, anchor: 'middle', isFaint: true })
    : drawPlot(chart, x)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx ?? '100%'}" height="${CHART_HEIGHT_PX}"`,
    ` overflow="visible" role="img" aria-label="${escapeXml(description)}">${content}`,
    `${drawLabels(bars, x)}</svg>`,
  ].join('')
}

function drawPlot({ bars, language }: BarChart, x: ToX): string {
  const heights = bars.map(({ parts }) => sumRub(parts, (rub) => rub > 0))
  const depths = bars.map(({ parts }) => sumRub(parts, (rub) => rub < 0))
  const [highest = 0, second = 0] = heights.toSorted((one, other) => other - one)
  const isCut = second > 0 && highest >= second * CUT_FROM_TIMES
  const ticks = roundTicks(Math.min(0, ...depths), isCut ? second * 1.5 : highest)
  const [least = 0, most = 1] = [ticks[0], ticks.at(-1)]
  const y: ToY = (rub) => {
    const share = (Math.min(rub, most) - least) / (most - least)
    return PLOT_BOTTOM - share * (PLOT_BOTTOM - PLOT_TOP)
  }
  const lines = ticks.map((rub) => {
    const at = round(y(rub))
    const colour = rub === 0 ? CHART_COLOURS.faintText : CHART_COLOURS.line
    const place = { x: -8, y: at + 4, anchor: 'end', isFaint: true }
    const amount = drawText(formatShortRub(rub, language), place)
    return `<line class="chart-line" x1="0" x2="${x(1)}" y1="${at}" y2="${at}" stroke="${colour}"/>${amount}`
  })
  const step = 1 / bars.length
  const width = Math.min(step * BAR_SHARE, BAR_WIDTH_MAX)
  const drawn = bars.map((bar, index) => {
    const left = (index + 0.5) * step - width / 2
    const cut = `<line class="chart-cut" x1="${x(left)}" x2="${x(left + width)}" y1="${PLOT_TOP + 11}" y2="${PLOT_TOP + 7}" stroke="${CHART_COLOURS.ground}" stroke-width="3"/>`
    return [
      `<g><title>${escapeXml(`${bar.period ?? bar.label}: ${bar.amount}`)}</title>`,
      `<rect x="${x(index * step)}" y="0" width="${x(step)}" height="${PLOT_BOTTOM}" fill="none" pointer-events="all"/>`,
      ...drawParts(bar.parts, y, `x="${x(left)}" width="${x(width)}"`),
      isCut && heights[index] === highest ? cut : '',
      '</g>',
    ].join('')
  })
  const named = highest === 0 ? '' : drawAmount(bars, heights.indexOf(highest), x, y(highest))
  return [...lines, ...drawn, named].join('')
}

/** Returns round amounts that begin at or below the least and end at or above the most: 0, 20, 40, 60. */
function roundTicks(least: number, most: number): number[] {
  const rough = (most - least) / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const times = rough / power
  const step = power * (times >= 7 ? 10 : times >= 3 ? 5 : times >= 1.4 ? 2 : 1)
  const first = Math.floor(least / step)
  const count = Math.ceil(most / step) - first + 1
  return Array.from({ length: count }, (_, index) => (first + index) * step)
}

function drawParts(parts: readonly BarPart[], y: ToY, sides: string): string[] {
  let above = 0
  let below = 0
  return parts.map(({ microRub, fill }) => {
    const rub = toRub(microRub)
    if (rub === 0) return ''
    const from = rub > 0 ? above : below
    if (rub > 0) above += rub
    else below += rub
    const [top, bottom] = [y(Math.max(from, from + rub)), y(Math.min(from, from + rub))]
    const height = round(bottom - top)
    return `<rect class="chart-bar" ${sides} y="${round(top)}" height="${height}" fill="${escapeXml(fill)}"/>`
  })
}

/** Writes the amount of a bar above it, within the plot. */
function drawAmount(bars: readonly Bar[], at: number, x: ToX, top: number): string {
  const share = (at + 0.5) / bars.length
  const [place, anchor] =
    share < 0.15
      ? [at / bars.length, 'start']
      : share > 0.85
        ? [(at + 1) / bars.length, 'end']
        : [share, 'middle']
  const y = round(top) - 5
  return drawText(bars[at]?.amount ?? '', { x: x(place), y, anchor, isBold: true })
}

function drawLabels(bars: readonly Bar[], x: ToX): string {
  const step = Math.ceil(bars.length / LABELS_MAX)
  const first = Math.floor(((bars.length - 1) % step) / 2)
  const labels = bars.map(({ label }, index) => {
    if ((index - first) % step !== 0) return ''
    const at = x((index + 0.5) / bars.length)
    return drawText(label, { x: at, y: PLOT_BOTTOM + 19, anchor: 'middle', isFaint: true })
  })
  return labels.join('')
}

interface TextPlace {
  x: string | number
  y: number
  anchor?: string
  size?: number
  isFaint?: boolean
  isBold?: boolean
}

export function drawText(
  text: string,
  { x, y, anchor = 'start', size = 12, isFaint = false, isBold = false }: TextPlace,
): string {
  const look = isFaint
    ? `class="chart-label" fill="${CHART_COLOURS.faintText}"`
    : `class="chart-amount" fill="${CHART_COLOURS.text}"`
  const weight = isBold ? ' font-weight="bold"' : ''
  return `<text ${look}${weight} x="${x}" y="${round(y)}" font-size="${size}" text-anchor="${anchor}">${escapeXml(text)}</text>`
}

/** Writes an amount as short as possible: `₽7.50`, `₽60`, `₽12.5K`, `12,5 тыс. ₽`. */
function formatShortRub(rub: number, language: Language): string {
  const roubles = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const
  return new Intl.NumberFormat(language, { ...roubles, ...digitsOf(Math.abs(rub)) }).format(rub)
}

/** Kopecks have two digits or none; a tick of an axis may be smaller than a kopeck. */
function digitsOf(rub: number) {
  if (rub >= 10_000) {
    return { notation: 'compact', maximumSignificantDigits: 3, minimumFractionDigits: 0 } as const
  }
  if (rub >= 100) return { maximumFractionDigits: 0 }
  return { maximumFractionDigits: rub < 1 ? 6 : 2, trailingZeroDisplay: 'stripIfInteger' } as const
}

/** Escapes a text for SVG; removes characters that XML forbids, and narrow spaces, which PT Sans lacks. */
function escapeXml(text: string): string {
  return text
    .replaceAll('\u202f', '\u00a0')
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function sumRub(parts: readonly BarPart[], isCounted: (rub: number) => boolean): number {
  const amounts = parts.map(({ microRub }) => toRub(microRub))
  return amounts.filter(isCounted).reduce((sum, rub) => sum + rub, 0)
}

function toRub(microRub: bigint): number {
  return Number(microRub) / 1e6
}

function round(length: number): number {
  return Math.round(length * 100) / 100
}
