import { toWireRub } from '../../../contract/money.ts'
import type { Language } from '../../locales/texts.ts'
import type { Block } from './block.ts'
import { formatDaySum, formatShortRub } from './chart-money.ts'
import { KIND_STYLES, LOOK } from './look.ts'
import { CHART_KINDS, type ChartDay, type SpendChart, sumDay, sumKinds } from './spend-chart.ts'

const BARS_HEIGHT = 150
const DAYS_HEIGHT = 38
const AXIS_WIDTH = 52
/** A date under every seventh bar, none so near to an edge that it has no room. */
const DATED_EVERY = 7
const DATED_FROM_END = 3
const EDGE_BARS = 3
const BAR_HALF = 4

/** Draws the spend day by day: a bar for each, stacked of kinds. */
export function daysBlock(
  { days, language, emptyText }: SpendChart,
  { top, index }: { top: number; index: number },
): Block {
  const kinds = sumKinds({ days }).map(({ kind }) => kind)
  const heights = days.map((day) => toWireRub(sumDay(day)))
  const isEmpty = kinds.length === 0
  const axisBreak = findAxisBreak(heights)
  const highest = heights.indexOf(Math.max(...heights))
  const label = { fontFamily: LOOK.fontFamily, fontSize: LOOK.smallSize, color: LOOK.faintText }
  const onGrid = { xAxisIndex: index, yAxisIndex: index }
  return {
    height: BARS_HEIGHT + DAYS_HEIGHT,
    titles: isEmpty
      ? [
          {
            text: emptyText,
            top: top + BARS_HEIGHT / 2 - 10,
            left: 'center',
            textStyle: { fontSize: LOOK.size, color: LOOK.faintText },
          },
        ]
      : [],
    grid: {
      left: AXIS_WIDTH + 14,
      right: LOOK.edge,
      top,
      height: BARS_HEIGHT,
      outerBoundsMode: 'none',
    },
    xAxes: [
      {
        type: 'category',
        gridIndex: index,
        data: days.map(({ day }) => day),
        axisTick: { show: false },
        axisLine: { lineStyle: { color: LOOK.faintText } },
        axisLabel: {
          ...label,
          interval: (at: number) => (days.length - 1 - at) % DATED_EVERY === DATED_FROM_END,
          formatter: (day: string) => formatDay(day, language),
        },
      },
    ],
    yAxes: [
      {
        type: 'value',
        gridIndex: index,
        splitNumber: 3,
        show: !isEmpty,
        ...(axisBreak && { breaks: [{ ...axisBreak, gap: '6%' }] }),
        breakArea: {
          zigzagAmplitude: 3,
          zigzagMinSpan: 6,
          zigzagMaxSpan: 6,
          itemStyle: {
            color: LOOK.ground,
            opacity: 1,
            borderColor: LOOK.breakLine,
            borderType: 'solid',
          },
        },
        axisLabel: {
          ...label,
          // The ends of what is left out stand too close to each other to be read.
          formatter: (rub: number, _at: number, tick: { break?: object } | null) =>
            tick?.break === undefined ? formatShortRub(rub, language) : '',
        },
        splitLine: { lineStyle: { color: LOOK.line } },
      },
    ],
    series: [
      ...CHART_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => ({
        ...onGrid,
        type: 'bar',
        stack: 'day',
        barCategoryGap: '22%',
        itemStyle: KIND_STYLES[kind],
        data: days.map(({ byKind }) => toWireRub(byKind.get(kind) ?? 0n)),
      })),
      isEmpty ? [] : highestLabel({ days, highest, onGrid, language }),
    ].flat(),
  }
}

/** Labels the top of the highest bar with its sum: a bar of no height, which stands on all others. */
function highestLabel({
  days,
  highest,
  onGrid,
  language,
}: {
  days: readonly ChartDay[]
  highest: number
  onGrid: object
  language: Language
}) {
  const day = days[highest]
  const text = day === undefined ? '' : formatDaySum(sumDay(day), language)
  return {
    ...onGrid,
    type: 'bar',
    stack: 'day',
    data: days.map((_, at) => ({ value: 0, label: { show: at === highest } })),
    label: {
      position: 'top',
      formatter: text,
      distance: 3,
      ...besideEdge(highest, days.length),
      fontFamily: LOOK.fontFamily,
      fontSize: LOOK.smallSize,
      fontWeight: 'bold',
      color: LOOK.text,
    },
  }
}

/** Keeps what stands above one of the first or last bars on the card. */
function besideEdge(at: number, count: number) {
  if (at < EDGE_BARS) return { align: 'left', offset: [-BAR_HALF, 0] }
  if (at >= count - EDGE_BARS) return { align: 'right', offset: [BAR_HALF, 0] }
  return {}
}

function formatDay(day: string, language: Language): string {
  const style = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', style).format(new Date(day))
}

/** A bar so many times as high as the next one dwarfs the others. */
const DWARFS_TIMES = 4

/**
 * Finds the value at which an axis is cut, so that bars beside an enormous one can be read.
 *
 * @param heights Of the bars, in roubles.
 * @returns The part of the axis that is left out; undefined where all of it is shown.
 */
function findAxisBreak(heights: readonly number[]): { start: number; end: number } | undefined {
  const [highest = 0, next = 0] = heights.toSorted((one, other) => other - one)
  if (next <= 0 || highest < next * DWARFS_TIMES) return undefined
  return { start: next * 1.1, end: highest - next * 0.3 }
}
