/**
 * Draws the picture of spend that a chat gets, as SVG: the sum, the days by kind, the kinds and, for all spend, the
 * users. The card has its own white ground, because a bot does not know whether a chat is light or dark.
 */
import type { ChargeKind } from '../../platform/database/generated/enums.ts'
import { shortenLine } from '../texts/shorten.ts'
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

/** A picture of spend as data: all that its worker gets. Its words are in the language. */
export interface SpendChart {
  language: Language
  title: string
  emptyText: string
  /** One for each day, also if nothing was spent. */
  days: readonly DaySpend[]
  kinds: readonly (ChartRow & { kind: ChargeKind })[]
  users?: { title: string; rows: readonly ChartRow[] } | undefined
}

export interface ChartRow {
  name: string
  amountMicroRub: bigint
}

/** A picture is about this wide in a chat on a phone. */
export const CARD_WIDTH_PX = 400
export const FONT_FAMILY = 'PT Sans'

const EDGE = 18
const INNER_WIDTH = CARD_WIDTH_PX - 2 * EDGE
const HEAD_HEIGHT = 72
const FONT_SIZE = 13.5
const ROW_HEIGHT = 25
const TITLE_HEIGHT = 32
const BELOW_ROWS = 10
const NAME_WIDTH = 136
const NAME_CHARS_MAX = 17
const DIGIT_WIDTH = 7.5
const AMOUNT_WIDTH_MIN = 92
const GAP = 8
/** The pattern of a small amount's bar stays visible. */
const ROW_BAR_WIDTH_MIN = 7

const dots = '<circle cx="2.4" cy="2.4" r="1" fill="#fff" fill-opacity="0.8"/>'
const lines = '<rect width="4.8" height="1.2" fill="#fff" fill-opacity="0.8"/>'

/**
 * The kinds in the order in which bars are stacked. Readers with any colour vision can distinguish the colours, and
 * readers without colour the patterns.
 */
const KINDS: Readonly<Record<ChargeKind, { colour: string; grain: string; rotation: number }>> = {
  answer: { colour: '#2f7fc1', grain: '', rotation: 0 },
  retry: { colour: '#7a5bb5', grain: dots, rotation: 45 },
  summary: { colour: '#b0487c', grain: lines, rotation: 0 },
  video: { colour: '#c8501e', grain: lines, rotation: 45 },
  image: { colour: '#1b8a6b', grain: lines, rotation: -45 },
  sound: { colour: '#a87900', grain: lines, rotation: 90 },
}
const CHART_KINDS = Object.keys(KINDS) as ChargeKind[]

interface Block {
  height: number
  svg: string
}

/** Draws a card, {@link CARD_WIDTH_PX} wide and as high as it needs. */
export function drawCard(chart: SpendChart): string {
  const { language, kinds, users } = chart
  const kindRows = kinds.map((row) => ({ ...row, fill: `url(#${row.kind})` }))
  const userRows = users?.rows.map((row) => ({ ...row, fill: CHART_COLOURS.faintText })) ?? []
  const { sum } = formatSum(
    kinds.map(({ amountMicroRub }) => amountMicroRub),
    language,
  )
  const blocks = [
    drawDays(chart),
    drawRows(kindRows, language),
    drawRows(userRows, language, users?.title),
  ]
  let height = HEAD_HEIGHT
  const placed = blocks.map((block) => {
    const top = height
    height += block.height
    return `<g transform="translate(${EDGE} ${top})">${block.svg}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH_PX}" height="${height}" font-family="${FONT_FAMILY}">`,
    `<defs>${CHART_KINDS.map(drawPattern).join('')}</defs>`,
    `<rect width="${CARD_WIDTH_PX}" height="${height}" fill="${CHART_COLOURS.ground}"/>`,
    drawText(chart.title, { x: EDGE, y: 30, size: 14, isFaint: true }),
    drawText(sum, { x: EDGE, y: 60, size: 26, isBold: true }),
    ...placed,
    '</svg>',
  ].join('')
}

function drawDays({ days, language, title, emptyText }: SpendChart): Block {
  const date = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const bars = days.map(({ day, amountMicroRub, byKind }) => ({
    label: date.format(new Date(day)),
    amount: formatMoney(amountMicroRub, language),
    parts: CHART_KINDS.map((kind) => ({
      microRub: byKind.get(kind) ?? 0n,
      fill: `url(#${kind})`,
    })),
  }))
  const widthPx = INNER_WIDTH - AXIS_WIDTH_PX
  const chart = drawBarChart({ bars, language, description: title, emptyText, widthPx })
  const svg = `<g transform="translate(${AXIS_WIDTH_PX} 0)">${chart}</g>`
  return { height: CHART_HEIGHT_PX + 6, svg }
}

function drawRows(
  rows: readonly (ChartRow & { fill: string })[],
  language: Language,
  title?: string,
): Block {
  if (rows.length === 0) return { height: 0, svg: '' }
  const amounts = rows.map(({ amountMicroRub }) => amountMicroRub)
  const { lines } = formatSum(amounts, language)
  const amountWidth = Math.max(
    AMOUNT_WIDTH_MIN,
    ...lines.map(({ length }) => length * DIGIT_WIDTH + GAP),
  )
  const highest = amounts.reduce((most, amount) => (amount > most ? amount : most), 1n)
  const top = title === undefined ? 0 : TITLE_HEIGHT
  const end = { x: INNER_WIDTH, size: FONT_SIZE, anchor: 'end' }
  const drawn = rows.map(({ name, amountMicroRub, fill }, index) => {
    const y = top + index * ROW_HEIGHT
    const share = Math.max(0, Number(amountMicroRub) / Number(highest))
    const width = Math.max(ROW_BAR_WIDTH_MIN, share * (INNER_WIDTH - NAME_WIDTH - amountWidth))
    return [
      // An element of its own cuts a name of wide letters off.
      `<svg y="${y}" width="${NAME_WIDTH - GAP}" height="${ROW_HEIGHT}">`,
      drawText(shortenLine(name, NAME_CHARS_MAX), { x: 0, y: 17, size: FONT_SIZE }),
      `</svg><rect x="${NAME_WIDTH}" y="${y + 6}" width="${width.toFixed(1)}" height="12" rx="2" fill="${fill}"/>`,
      drawText(lines[index] ?? '', { ...end, y: y + 17 }),
    ].join('')
  })
  const heading =
    title === undefined ? '' : drawText(title, { x: 0, y: 20, size: 15, isBold: true })
  return { height: top + rows.length * ROW_HEIGHT + BELOW_ROWS, svg: heading + drawn.join('') }
}

function drawPattern(kind: ChargeKind): string {
  const { colour, grain, rotation } = KINDS[kind]
  return [
    `<pattern id="${kind}" width="4.8" height="4.8" patternUnits="userSpaceOnUse"`,
    ` patternTransform="rotate(${rotation})">`,
    `<rect width="4.8" height="4.8" fill="${colour}"/>${grain}</pattern>`,
  ].join('')
}
