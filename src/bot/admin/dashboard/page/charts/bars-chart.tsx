import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Day, OverviewAnswer } from '../../api.ts'
import { Scroll } from '../parts/scroll.tsx'
import { themeChanges } from '../telegram/theme.ts'
import { formatDay } from '../words/dates.ts'
import { language, words } from '../words/language.ts'
import { formatMoney, roundParts } from '../words/money.ts'
import { drawDays, toBars } from './draw-days.ts'

/** Spend by day: a drawing, what the pointer is on, and the same as a table for those who cannot see it. */
export function DaysChart({ days }: { days: OverviewAnswer['byDay'] }) {
  const host = useRef<HTMLDivElement>(null)
  const [pointedAt, setPointedAt] = useState<number | undefined>()
  const [theme, spoken] = [themeChanges.value, language.value]
  const { spend } = words.value
  const bars = useMemo(() => toBars(days), [days])
  // Other colours and another language are drawn again.
  useEffect(() => {
    if (host.current === null) return
    return drawDays(host.current, bars, setPointedAt)
  }, [bars, theme, spoken])
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  const pointed = pointedAt === undefined ? undefined : bars[pointedAt]
  return (
    <>
      <p class="chart-reading hint num" aria-hidden="true">
        {pointed === undefined
          ? rangeOf(first.day, last.day)
          : `${rangeOf(pointed.from, pointed.to)}: ${formatMoney(pointed.microRub)}`}
      </p>
      <div
        ref={host}
        class="chart"
        role="img"
        aria-label={spend.chart(formatDay(first.day), formatDay(last.day))}
      />
      <details class="chart-table">
        <summary>{spend.asTable}</summary>
        <DaysTable days={days} />
      </details>
    </>
  )
}

function rangeOf(from: Day, to: Day): string {
  return from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`
}

/** The newest day first. */
function DaysTable({ days }: { days: OverviewAnswer['byDay'] }) {
  const { spend } = words.value
  const rounded = roundParts(days.map((day) => day.amountMicroRub))
  return (
    <Scroll label={spend.byDay}>
      <table>
        <thead>
          <tr>
            <th scope="col">{spend.day}</th>
            <th scope="col" class="num">
              {spend.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {days
            .map(({ day }, index) => (
              <tr key={day}>
                <th scope="row">{formatDay(day)}</th>
                <td class="num">{formatMoney(rounded[index] ?? 0n)}</td>
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </Scroll>
  )
}
