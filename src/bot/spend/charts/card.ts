import type { EChartsOption } from 'echarts'
import type { Title } from './block.ts'
import { formatDrawnSum } from './chart-money.ts'
import { daysBlock } from './days-block.ts'
import { KIND_STYLES, LOOK } from './look.ts'
import { rowsBlock } from './rows-block.ts'
import { type SpendChart, sumKinds } from './spend-chart.ts'

const HEAD_HEIGHT = 86
const FOOT_HEIGHT = 10

/** A card with the sum, the days by kind, the kinds and, where they are asked for, who spent it. */
export function toCard(chart: SpendChart): { height: number; option: EChartsOption } {
  const { language, users } = chart
  const kindRows = sumKinds(chart).map(({ kind, amountMicroRub }) => ({
    name: chart.kindNames[kind],
    amountMicroRub,
    style: KIND_STYLES[kind],
  }))
  const userRows = users?.rows.map((row) => ({ ...row, style: { color: LOOK.faintText } })) ?? []
  const blocks = [
    (top: number, index: number) => daysBlock(chart, { top, index }),
    ...(kindRows.length === 0 ? [] : [rowsBlock({ rows: kindRows, language })]),
    ...(userRows.length === 0
      ? []
      : [rowsBlock({ rows: userRows, language, title: users?.title })]),
  ]
  let top = HEAD_HEIGHT
  const made = blocks.map((make, index) => {
    const block = make(top, index)
    top += block.height
    return block
  })
  const amounts = kindRows.map(({ amountMicroRub }) => amountMicroRub)
  const { sum } = formatDrawnSum(amounts, language)
  const head: Title[] = [
    { text: chart.title, top: 16, textStyle: { fontSize: 14, color: LOOK.faintText } },
    { text: sum, top: 36, textStyle: { fontSize: 26, fontWeight: 'bold' } },
  ]
  const titles = [...head, ...made.flatMap((block) => block.titles ?? [])]
  return {
    height: top + FOOT_HEIGHT,
    option: {
      animation: false,
      backgroundColor: LOOK.ground,
      textStyle: { fontFamily: LOOK.fontFamily },
      title: titles.map(({ textStyle, left = LOOK.edge, ...title }) => ({
        padding: 0,
        left,
        ...title,
        textStyle: {
          fontFamily: LOOK.fontFamily,
          fontWeight: 'normal',
          color: LOOK.text,
          ...textStyle,
        },
      })),
      grid: made.map(({ grid }) => grid),
      xAxis: made.flatMap(({ xAxes }) => xAxes),
      yAxis: made.flatMap(({ yAxes }) => yAxes),
      series: made.flatMap(({ series }) => series),
    } as EChartsOption,
  }
}
