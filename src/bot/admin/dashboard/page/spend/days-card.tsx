import { useMemo } from 'preact/hooks'
import type { OverviewAnswer } from '../../api.ts'
import { BarsChart } from '../charts/bars-chart.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { formatDay } from '../words/dates.ts'
import { language, words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'

/** Spend by day, and what a day costs on average. */
export function DaysCard({ overview }: { overview: Pick<OverviewAnswer, 'byDay' | 'sum'> }) {
  const { spend } = words.value
  const { byDay } = overview
  const spoken = language.value
  const rows = useMemo(
    () => byDay.map(({ day, amountMicroRub }) => ({ label: formatDay(day), amountMicroRub })),
    [byDay, spoken],
  )
  const sum = byDay.reduce((before, day) => before + BigInt(day.amountMicroRub), 0n)
  const average = byDay.length === 0 ? 0n : sum / BigInt(byDay.length)
  return (
    <TitledCard
      title={spend.byDay}
      class="wide"
      action={<span class="hint num">{spend.average(formatMoney(average))}</span>}
    >
      <BarsChart rows={rows} describe={spend.chart} title={spend.byDay} heading={spend.day} />
    </TitledCard>
  )
}
