import type uPlot from 'uplot'
import type { MicroRub } from '../../api.ts'
import { formatBriefly, toRub } from '../words/money.ts'

const HEIGHT = 200

/** The most rows that get a bar each: with more, bars would be thinner than their gaps, and each is seven rows. */
const BARS_MAX = 92

/** One amount of a chart, such as that of a day. */
export interface ChartRow {
  label: string
  amountMicroRub: MicroRub
}

/** The labels and the amount of one bar. */
export interface Bar {
  from: string
  to: string
  microRub: bigint
}

/** Makes a bar of each row; of many rows, of each seven, which are weeks where the rows are days. */
export function toBars(rows: readonly ChartRow[]): Bar[] {
  const step = rows.length > BARS_MAX ? 7 : 1
  return Array.from({ length: Math.ceil(rows.length / step) }, (_, index) => {
    const within = rows.slice(index * step, (index + 1) * step)
    return {
      from: within[0]?.label ?? '',
      to: within.at(-1)?.label ?? '',
      microRub: within.reduce((sum, { amountMicroRub }) => sum + BigInt(amountMicroRub), 0n),
    }
  })
}

/**
 * Draws bars into an element, as wide as that is and stays.
 *
 * @param onPoint Which bar the pointer is on; undefined when it leaves.
 * @returns Takes the drawing away.
 */
export function drawBars(
  host: HTMLElement,
  bars: readonly Bar[],
  onPoint: (index: number | undefined) => void,
): () => void {
  let isGone = false
  let takeAway: () => void = () => undefined
  // The library is fetched when the first chart is shown: tables and forms go without.
  void import('uplot').then(({ default: UPlot }) => {
    if (isGone) return
    const plot = new UPlot(optionsOf(UPlot, host, bars, onPoint), dataOf(bars), host)
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: host.clientWidth, height: HEIGHT }),
    )
    observer.observe(host)
    host.dataset.drawn = 'true'
    takeAway = () => {
      observer.disconnect()
      plot.destroy()
      delete host.dataset.drawn
    }
  })
  return () => {
    isGone = true
    takeAway()
    onPoint(undefined)
  }
}

type Library = typeof uPlot

function dataOf(bars: readonly Bar[]): [number[], number[]] {
  return [bars.map((_, index) => index), bars.map(({ microRub }) => toRub(microRub))]
}

function optionsOf(
  UPlot: Library,
  host: HTMLElement,
  bars: readonly Bar[],
  onPoint: (index: number | undefined) => void,
): uPlot.Options {
  const colours = {
    bar: colourOf(host, '--accent'),
    text: colourOf(host, '--hint'),
    grid: colourOf(host, '--line'),
  }
  const { fontFamily } = getComputedStyle(host)
  const axis = {
    stroke: colours.text,
    font: `12px ${fontFamily}`,
    ticks: { show: false },
    gap: 8,
  }
  return {
    width: host.clientWidth,
    height: HEIGHT,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: false, y: false },
    },
    scales: {
      x: { time: false, range: [-0.6, bars.length - 0.4] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    series: [{}, { fill: colours.bar, width: 0, points: { show: false }, ...barsOf(UPlot) }],
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        incrs: [1, 2, 5, 7, 10, 15, 30, 60, 90],
        space: 62,
        values: (_, splits) => splits.map((at) => bars[at]?.from ?? ''),
      },
      {
        ...axis,
        size: (plot, values) => widthOf(plot.ctx, axis.font, values ?? []),
        grid: { stroke: colours.grid, width: 1 },
        space: 36,
        values: (_, splits) => splits.map((rub) => formatBriefly(rub)),
      },
    ],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
    },
  }
}

function barsOf({ paths }: Library): Pick<uPlot.Series, 'paths'> {
  const bars = paths.bars?.({ size: [0.68, 36], radius: 0.25 })
  return bars === undefined ? {} : { paths: bars }
}

/** Returns the width of the widest amount beside the axis. */
function widthOf(context: CanvasRenderingContext2D, font: string, values: readonly string[]) {
  context.save()
  context.font = font
  const widths = values.map((value) => context.measureText(value).width)
  context.restore()
  return Math.ceil(Math.max(32, ...widths) + 12)
}

/** Returns the present value of a colour of the sheet; a canvas knows no variables. */
function colourOf(host: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  host.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
