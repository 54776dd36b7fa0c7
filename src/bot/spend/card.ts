/**
 * Draws the picture of spend that a chat gets, as SVG: the sum, the days by kind, and the kinds.
 *
 * The card has its own white ground, because a bot does not know whether a chat is light or dark.
 */
import type { ChargeKind } from '../../platform/database/generated/enums.ts'
import type { Language } from '../texts/texts.ts'
import {
  AXIS_WIDTH_PX,
  CHART_COLOURS,
  CHART_HEIGHT_PX,
  drawBarChart,
  drawText,
} from './bar-chart.ts'
import { formatMoney, formatSum } from './format.ts'
import type { DaySpend } from './reports.ts'

export interface SpendChart {
  language: Language
  title: string
  emptyText: string
  /** One for each day, also if nothing was spent. */
  days: readonly DaySpend[]
  kinds: readonly { kind: ChargeKind; name: string; amountMicroRub: bigint }[]
}

/** A picture is about this wide in a chat on a phone. */
export const CARD_WIDTH_PX = 400
export const FONT_FAMILY = 'PT Sans'

const EDGE = 18
const CHART_TOP = 72
const KINDS_TOP = CHART_TOP + CHART_HEIGHT_PX + 6
const ROW_HEIGHT = 25

/** The kinds in the order in which bars are stacked. Readers with any colour vision can distinguish the colours. */
const COLOURS: Readonly<Record<ChargeKind, string>> = {
  answer: '#0072b2',
  retry: '#56b4e9',
  summary: '#cc79a7',
  video: '#d55e00',
  image: '#009e73',
  sound: '#e69f00',
}

export function drawCard(chart: SpendChart): string {
  const { language, title, kinds } = chart
  const amounts = kinds.map(({ amountMicroRub }) => amountMicroRub)
  const { lines, sum } = formatSum(amounts, language)
  const height = KINDS_TOP + kinds.length * ROW_HEIGHT + 10
  const rows = kinds.map(({ kind, name }, index) => {
    const y = KINDS_TOP + index * ROW_HEIGHT + 17
    return [
      `<rect x="${EDGE}" y="${y - 11}" width="12" height="12" rx="2" fill="${COLOURS[kind]}"/>`,
      drawText(name, { x: EDGE + 20, y, size: 14 }),
      drawText(lines[index] ?? '', { x: CARD_WIDTH_PX - EDGE, y, size: 14, anchor: 'end' }),
    ].join('')
  })
  const left = EDGE + AXIS_WIDTH_PX
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH_PX}" height="${height}" font-family="${FONT_FAMILY}">`,
    `<rect width="${CARD_WIDTH_PX}" height="${height}" fill="${CHART_COLOURS.ground}"/>`,
    drawText(title, { x: EDGE, y: 30, size: 14, isFaint: true }),
    `<g font-weight="bold">${drawText(sum, { x: EDGE, y: 60, size: 26 })}</g>`,
    `<svg x="${left}" y="${CHART_TOP}" width="${CARD_WIDTH_PX - EDGE - left}" height="${CHART_HEIGHT_PX}" overflow="visible">`,
    drawDays(chart),
    '</svg>',
    ...rows,
    '</svg>',
  ].join('')
}

function drawDays({ days, language, title, emptyText }: SpendChart): string {
  const date = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const kinds = Object.entries(COLOURS) as [ChargeKind, string][]
  const bars = days.map(({ day, amountMicroRub, byKind }) => ({
    label: date.format(new Date(day)),
    amount: formatMoney(amountMicroRub, language),
    parts: kinds.map(([kind, fill]) => ({ microRub: byKind.get(kind) ?? 0n, fill })),
  }))
  return drawBarChart({ bars, language, description: title, emptyText })
}
