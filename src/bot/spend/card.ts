/**
 * Draws the picture of spend that a chat gets, as SVG: the sum, the days by kind, the kinds and, for all spend, the
 * users. The card has its own white ground, because a bot does not know whether a chat is light or dark.
 */
import type { ChargeKind } from '../../platform/database/generated/enums.ts'
import type { Language } from '../texts/texts.ts'
import {
  AXIS_WIDTH_PX,
  CHART_COLOURS,
  CHART_HEIGHT_PX,
  drawBarChart,
  escapeXml,
} from './bar-chart.ts'
import { formatMoney, formatSum } from './format.ts'
import { CHART_KINDS, type SpendChart, sumDay, sumKinds } from './spend-chart.ts'

/** A picture is about this wide in a chat on a phone. */
export const CARD_WIDTH_PX = 400

/** The font of the picture: see the worker. */
export const FONT_FAMILY = 'PT Sans'

const EDGE = 18
const INNER_WIDTH = CARD_WIDTH_PX - 2 * EDGE
const HEAD_HEIGHT = 72
const FONT_SIZE = 13.5
const ROW_HEIGHT = 25
const TITLE_HEIGHT = 32
const BELOW_ROWS = 10
const NAME_WIDTH = 136
const AMOUNT_WIDTH_MIN = 92
const GAP = 8
/** The pattern of a small amount's bar stays visible. */
const ROW_BAR_WIDTH_MIN = 7

/** Colours that readers with any colour vision can distinguish. */
const KIND_COLOURS: Readonly<Record<ChargeKind, string>> = {
  answer: '#2f7fc1',
  retry: '#7a5bb5',
  summary: '#b0487c',
  video: '#c8501e',
  image: '#1b8a6b',
  sound: '#a87900',
}

/** Patterns for readers without colour, as rotations of lines; answers are plain, and repeated answers dotted. */
const KIND_LINES: Readonly<Partial<Record<ChargeKind, number>>> = {
  summary: 0,
  video: 45,
  image: -45,
  sound: 90,
}

interface Row {
  name: string
  amountMicroRub: bigint
  fill: string
}

/** Draws a card, {@link CARD_WIDTH_PX} wide and as high as it needs. */
export function drawCard(chart: SpendChart): string {
  const { language, users } = chart
  const kindRows = sumKinds(chart).map(({ kind, amountMicroRub }) => ({
    name: chart.kindNames[kind],
    amountMicroRub,
    fill: `url(#${kind})`,
  }))
  const userRows =
    users?.rows.map((row) => ({ ...row, fill: CHART_COLOURS.faintText as string })) ?? []
  const { sum } = formatSum(
    kindRows.map(({ amountMicroRub }) => amountMicroRub),
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
    drawText(chart.title, { x: EDGE, y: 30, size: 14, fill: CHART_COLOURS.faintText }),
    drawText(sum, { x: EDGE, y: 60, size: 26, isBold: true }),
    ...placed,
    '</svg>',
  ].join('')
}

interface Block {
  height: number
  svg: string
}

function drawDays({ days, language, title, emptyText }: SpendChart): Block {
  const date = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const bars = days.map((day) => ({
    label: date.format(new Date(day.day)),
    amount: formatMoney(sumDay(day), language),
    parts: CHART_KINDS.map((kind) => ({
      microRub: day.byKind.get(kind) ?? 0n,
      fill: `url(#${kind})`,
    })),
  }))
  const widthPx = INNER_WIDTH - AXIS_WIDTH_PX
  const chart = drawBarChart({ bars, language, description: title, emptyText, widthPx })
  return {
    height: CHART_HEIGHT_PX + 6,
    svg: `<g transform="translate(${AXIS_WIDTH_PX} 0)">${chart}</g>`,
  }
}

function drawRows(rows: readonly Row[], language: Language, title?: string): Block {
  if (rows.length === 0) return { height: 0, svg: '' }
  const amounts = rows.map(({ amountMicroRub }) => amountMicroRub)
  const { lines } = formatSum(amounts, language)
  const amountWidth = Math.max(AMOUNT_WIDTH_MIN, ...lines.map((line) => textWidth(line) + GAP))
  const widthMax = INNER_WIDTH - NAME_WIDTH - amountWidth
  const highest = amounts.reduce((most, amount) => (amount > most ? amount : most), 1n)
  const top = title === undefined ? 0 : TITLE_HEIGHT
  const drawn = rows.map(({ name, amountMicroRub, fill }, index) => {
    const y = top + index * ROW_HEIGHT
    const share = Math.max(0, Number(amountMicroRub) / Number(highest))
    const width = Math.max(ROW_BAR_WIDTH_MIN, share * widthMax).toFixed(1)
    return [
      drawText(cutToWidth(name, NAME_WIDTH - GAP), { x: 0, y: y + 17 }),
      `<rect x="${NAME_WIDTH}" y="${y + 6}" width="${width}" height="12" rx="2" fill="${fill}"/>`,
      drawText(lines[index] ?? '', { x: INNER_WIDTH, y: y + 17, anchor: 'end' }),
    ].join('')
  })
  const heading =
    title === undefined ? '' : drawText(title, { x: 0, y: 20, size: 15, isBold: true })
  return {
    height: top + rows.length * ROW_HEIGHT + BELOW_ROWS,
    svg: `${heading}${drawn.join('')}`,
  }
}

function drawPattern(kind: ChargeKind): string {
  const rotation = KIND_LINES[kind]
  const grain =
    rotation === undefined
      ? kind === 'retry'
        ? '<circle cx="2.4" cy="2.4" r="1" fill="#fff" fill-opacity="0.8"/>'
        : ''
      : '<rect width="4.8" height="1.2" fill="#fff" fill-opacity="0.8"/>'
  return [
    `<pattern id="${kind}" width="4.8" height="4.8" patternUnits="userSpaceOnUse"`,
    ` patternTransform="rotate(${rotation ?? 45})">`,
    `<rect width="4.8" height="4.8" fill="${KIND_COLOURS[kind]}"/>${grain}</pattern>`,
  ].join('')
}

function drawText(
  text: string,
  place: {
    x: number
    y: number
    size?: number
    anchor?: 'end'
    fill?: string
    isBold?: boolean
  },
): string {
  const { x, y, size = FONT_SIZE, anchor = 'start', fill = CHART_COLOURS.text, isBold } = place
  const weight = isBold ? ' font-weight="bold"' : ''
  return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}" fill="${fill}"${weight}>${escapeXml(text)}</text>`
}

function cutToWidth(text: string, widthPx: number): string {
  if (textWidth(text) <= widthPx) return text
  const letters = Array.from(text)
  while (letters.length > 0 && textWidth(`${letters.join('')}…`) > widthPx) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

/** Widths of PT Sans in parts of its size, by kinds of letters; all others are like most small letters. */
const LETTER_WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijlIтr.,:;'’!|()\u00a0 ]/, 0.3],
  [/[ЖМШЩЮФЫмшщжюфыmwMW@%—…₽]/, 0.86],
  [/[A-ZА-ЯЁ&]/, 0.64],
]

/** Estimates a width: nothing measures text without a browser. */
function textWidth(text: string): number {
  const widths = Array.from(
    text,
    (letter) => LETTER_WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? 0.53,
  )
  return FONT_SIZE * widths.reduce((total, width) => total + width, 0)
}
