/**
 * Draws amounts as a bar chart in SVG, for the pictures in chats and for the page.
 *
 * Horizontal positions are percentages: the chart fills the width of its container and its text keeps its size. Colours
 * are presentation attributes, so a style sheet can replace them, and a strict content security policy permits them.
 */
import type { Language } from '../texts/texts.ts'

export interface BarChart {
  bars: readonly Bar[]
  language: Language
  description: string
  emptyText: string
}

export interface Bar {
  label: string
  period?: string
  amount: string
  /** From bottom to top. A part below zero is not drawn. */
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

const PLOT_TOP = 8
const PLOT_BOTTOM = 172
const TICKS = 3
const LABELS_MAX = 4
const BAR_SHARE = 0.74
/** Percent of the plot, so that a single bar does not fill it. */
const BAR_WIDTH_MAX = 8

/** @returns An `<svg>` element, {@link CHART_HEIGHT_PX} high. */
export function drawBarChart(chart: BarChart): string {
  const { bars, description, emptyText } = chart
  const heights = bars.map(({ parts }) => parts.reduce((sum, part) => sum + rubOf(part), 0))
  const highest = Math.max(0, ...heights)
  const middle = { x: '50%', y: (PLOT_TOP + PLOT_BOTTOM) / 2, anchor: 'middle', isFaint: true }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="${CHART_HEIGHT_PX}"`,
    ` overflow="visible" role="img" aria-label="${escapeXml(description)}">`,
    highest === 0 ? drawText(emptyText, middle) : drawPlot(chart, highest),
    `${drawLabels(bars)}</svg>`,
  ].join('')
}

function drawPlot({ bars, language }: BarChart, highest: number): string {
  const tick = roundUp(highest / TICKS)
  const ticks = Array.from({ length: Math.ceil(highest / tick) + 1 }, (_, index) => index * tick)
  const most = ticks.at(-1) ?? tick
  const y = (rub: number) => round(PLOT_BOTTOM - (rub / most) * (PLOT_BOTTOM - PLOT_TOP))
  const lines = ticks.map((rub) => {
    const colour = rub === 0 ? CHART_COLOURS.faintText : CHART_COLOURS.line
    const place = { x: -8, y: y(rub) + 4, anchor: 'end', isFaint: true }
    const amount = drawText(formatShortRub(rub, language), place)
    return `<line class="chart-line" x1="0" x2="100%" y1="${y(rub)}" y2="${y(rub)}" stroke="${colour}"/>${amount}`
  })
  const step = 100 / bars.length
  const width = Math.min(step * BAR_SHARE, BAR_WIDTH_MAX)
  const drawn = bars.map(({ label, period = label, amount, parts }, index) => {
    const left = (index + 0.5) * step - width / 2
    return [
      `<g><title>${escapeXml(`${period}: ${amount}`)}</title>`,
      `<rect x="${round(index * step)}%" y="0" width="${round(step)}%" height="${PLOT_BOTTOM}" fill="none" pointer-events="all"/>`,
      ...drawParts(parts, y, `x="${round(left)}%" width="${round(width)}%"`),
      '</g>',
    ].join('')
  })
  return [...lines, ...drawn].join('')
}

/** Returns a round amount of at least about this much: 1, 2 or 5 with zeros. */
function roundUp(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const times = rough / power
  return power * (times >= 7 ? 10 : times >= 3 ? 5 : times >= 1.4 ? 2 : 1)
}

function drawParts(parts: readonly BarPart[], y: (rub: number) => number, sides: string): string[] {
  let rub = 0
  return parts.map((part) => {
    const bottom = y(rub)
    rub += rubOf(part)
    const top = y(rub)
    if (top === bottom) return ''
    return `<rect class="chart-bar" ${sides} y="${top}" height="${round(bottom - top)}" fill="${escapeXml(part.fill)}"/>`
  })
}

function drawLabels(bars: readonly Bar[]): string {
  const step = Math.ceil(bars.length / LABELS_MAX)
  const first = Math.floor(((bars.length - 1) % step) / 2)
  const labels = bars.map(({ label }, index) => {
    if ((index - first) % step !== 0) return ''
    const x = `${round(((index + 0.5) * 100) / bars.length)}%`
    return drawText(label, { x, y: PLOT_BOTTOM + 19, anchor: 'middle', isFaint: true })
  })
  return labels.join('')
}

interface TextPlace {
  x: string | number
  y: number
  anchor?: string
  size?: number
  isFaint?: boolean
}

export function drawText(
  text: string,
  { x, y, anchor = 'start', size = 12, isFaint = false }: TextPlace,
): string {
  const look = isFaint
    ? `class="chart-label" fill="${CHART_COLOURS.faintText}"`
    : `fill="${CHART_COLOURS.text}"`
  return `<text ${look} x="${x}" y="${round(y)}" font-size="${size}" text-anchor="${anchor}">${escapeXml(text)}</text>`
}

/** Writes an amount as short as possible: `₽7.5`, `₽60`, `₽12.5K`, `12,5 тыс. ₽`. */
function formatShortRub(rub: number, language: Language): string {
  return new Intl.NumberFormat(language, {
    ...{ style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' },
    ...{ notation: 'compact', maximumSignificantDigits: 3 },
  }).format(rub)
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

function rubOf({ microRub }: BarPart): number {
  return Math.max(0, Number(microRub) / 1e6)
}

function round(length: number): number {
  return Math.round(length * 100) / 100
}
