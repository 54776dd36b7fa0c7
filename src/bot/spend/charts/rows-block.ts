import { toWireRub } from '../../../contract/money.ts'
import type { Language } from '../../locales/texts.ts'
import type { Block } from './block.ts'
import { formatDrawnSum } from './chart-money.ts'
import { type BarStyle, LOOK, textWidth } from './look.ts'

const ROW_HEIGHT = 25
const TITLE_HEIGHT = 32
const BELOW = 10
const NAME_WIDTH = 136
const AMOUNT_WIDTH_MIN = 92
const GAP = 8
/** So that the pattern of a small amount's bar can be seen. */
const BAR_WIDTH_MIN = 7

export interface RowsGiven {
  title?: string | undefined
  rows: readonly { name: string; amountMicroRub: bigint; style: BarStyle }[]
  language: Language
}

/** A list: what something is called, a bar of its amount, and the amount. */
export function rowsBlock({ title, rows, language }: RowsGiven) {
  return (top: number, index: number): Block => {
    const titleHeight = title === undefined ? 0 : TITLE_HEIGHT
    const column = {
      type: 'category',
      gridIndex: index,
      inverse: true,
      axisLine: { show: false },
      axisTick: { show: false },
    }
    const microRub = rows.map(({ amountMicroRub }) => amountMicroRub)
    const { lines: amounts } = formatDrawnSum(microRub, language)
    const amountWidths = amounts.map((amount) => textWidth(amount, `${LOOK.size}px`) + GAP)
    const amountWidth = Math.max(AMOUNT_WIDTH_MIN, ...amountWidths)
    const label = {
      fontFamily: LOOK.fontFamily,
      fontSize: LOOK.size,
      color: LOOK.text,
      margin: 0,
      interval: 0,
    }
    return {
      height: titleHeight + rows.length * ROW_HEIGHT + BELOW,
      titles:
        title === undefined
          ? []
          : [{ text: title, top: top + 6, textStyle: { fontSize: 15, fontWeight: 'bold' } }],
      grid: {
        left: LOOK.edge + NAME_WIDTH,
        right: LOOK.edge + amountWidth,
        top: top + titleHeight,
        height: rows.length * ROW_HEIGHT,
        outerBoundsMode: 'none',
      },
      xAxes: [{ type: 'value', gridIndex: index, show: false, min: 0, max: 'dataMax' }],
      yAxes: [
        {
          ...column,
          data: rows.map(({ name }) => name),
          axisLabel: {
            ...label,
            align: 'left',
            margin: NAME_WIDTH,
            width: NAME_WIDTH - GAP,
            overflow: 'truncate',
            ellipsis: '…',
          },
        },
        {
          ...column,
          position: 'right',
          data: amounts,
          axisLabel: { ...label, align: 'right', margin: amountWidth },
        },
      ],
      series: [
        {
          type: 'bar',
          xAxisIndex: index,
          yAxisIndex: 2 * index - 1,
          barWidth: 12,
          barMinHeight: BAR_WIDTH_MIN,
          data: rows.map(({ amountMicroRub, style }) => ({
            // What came back in all has no bar to the left.
            value: Math.max(0, toWireRub(amountMicroRub)),
            itemStyle: { ...style, borderRadius: 2 },
          })),
        },
      ],
    }
  }
}
