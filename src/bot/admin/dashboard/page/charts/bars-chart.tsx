import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Scroll } from '../parts/scroll.tsx'
import { themeChanges } from '../telegram/theme.ts'
import { words } from '../words/language.ts'
import { formatMoney, formatParts } from '../words/money.ts'
import { type ChartRow, drawBars, toBars } from './draw-bars.ts'

interface BarsChartProps {
  /** In order, and the same array as long as nothing of it changes: another one is drawn again. */
  rows: readonly ChartRow[]
  /** Describes the drawing to those who cannot see it, from the first label to the last. */
  describe: (from: string, to: string) => string
  /** Of the table. */
  title: string
  /** Of the labels in the table. */
  heading: string
}

/** Amounts in a row: a drawing, what the pointer is on, and the same as a table for those who cannot see it. */
export function BarsChart({ rows, describe, title, heading }: BarsChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const [pointedAt, setPointedAt] = useState<number | undefined>()
  const theme = themeChanges.value
  const bars = useMemo(() => toBars(rows), [rows])
  // Other colours are drawn again.
  useEffect(() => {
    if (host.current === null) return
    return drawBars(host.current, bars, setPointedAt)
  }, [bars, theme])
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return null
  const pointed = pointedAt === undefined ? undefined : bars[pointedAt]
  return (
    <>
      <p class="chart-reading hint num" aria-hidden="true">
        {pointed === undefined
          ? rangeOf(first.label, last.label)
          : `${rangeOf(pointed.from, pointed.to)}: ${formatMoney(pointed.microRub)}`}
      </p>
      <div ref={host} class="chart" role="img" aria-label={describe(first.label, last.label)} />
      <details class="chart-table">
        <summary>{words.value.spend.asTable}</summary>
        <RowsTable rows={rows} title={title} heading={heading} />
      </details>
    </>
  )
}

function rangeOf(from: string, to: string): string {
  return from === to ? from : `${from} – ${to}`
}

/** The last row comes first: of days, the newest. */
function RowsTable({ rows, title, heading }: Omit<BarsChartProps, 'describe'>) {
  const shown = formatParts(rows.map((row) => row.amountMicroRub))
  return (
    <Scroll label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col" class="num">
              {words.value.spend.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .map(({ label }, index) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td class="num">{shown[index]}</td>
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </Scroll>
  )
}
