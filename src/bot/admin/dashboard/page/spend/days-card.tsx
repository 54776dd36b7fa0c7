import { useMemo } from 'preact/hooks'
import { drawBarChart } from '../../../../spend/charts/bar-chart.ts'
import type { OverviewAnswer, WireDaySpend } from '../../api.ts'
import { Scroll } from '../parts/scroll.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { formatDay, formatShortDay } from '../words/dates.ts'
import { language, words } from '../words/language.ts'
import { formatMoney, formatParts } from '../words/money.ts'

/** With more days each bar is a week: bars of days would be thinner than their gaps. */
const DAY_BARS_MAX = 92

/** Shows spend by day as a chart and as a table, and the average day. */
export function DaysCard({ overview }: { overview: Pick<OverviewAnswer, 'byDay'> }) {
  const { spend } = words.value
  const { byDay } = overview
  const spoken = language.value
  const chart = useMemo(
    () =>
      drawBarChart({
        bars: toBars(byDay),
        language: spoken,
        description: spend.chart(
          formatDay(byDay[0]?.day ?? ''),
          formatDay(byDay.at(-1)?.day ?? ''),
        ),
        emptyText: spend.nothing,
      }),
    [byDay, spoken],
  )
  const average = byDay.length === 0 ? 0n : sumOf(byDay) / BigInt(byDay.length)
  return (
    <TitledCard
      title={spend.byDay}
      class="wide"
      action={<span class="hint num">{spend.average(formatMoney(average))}</span>}
    >
      <div class="chart" dangerouslySetInnerHTML={{ __html: chart }} />
      <details class="chart-table">
        <summary>{spend.asTable}</summary>
        <DaysTable days={byDay} />
      </details>
    </TitledCard>
  )
}

function toBars(days: readonly WireDaySpend[]) {
  const step = days.length > DAY_BARS_MAX ? 7 : 1
  return Array.from({ length: Math.ceil(days.length / step) }, (_, index) => {
    const within = days.slice(index * step, (index + 1) * step)
    const [first, last] = [within[0]?.day ?? '', within.at(-1)?.day ?? '']
    const microRub = sumOf(within)
    return {
      label: formatShortDay(first),
      period: first === last ? formatDay(first) : `${formatDay(first)} – ${formatDay(last)}`,
      amount: formatMoney(microRub),
      parts: [{ microRub, fill: 'currentColor' }],
    }
  })
}

/** The newest day comes first. */
function DaysTable({ days }: { days: readonly WireDaySpend[] }) {
  const { spend } = words.value
  const shown = formatParts(days.map(({ amountMicroRub }) => amountMicroRub))
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
                <td class="num">{shown[index]}</td>
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </Scroll>
  )
}

function sumOf(days: readonly WireDaySpend[]): bigint {
  return days.reduce((sum, { amountMicroRub }) => sum + BigInt(amountMicroRub), 0n)
}
