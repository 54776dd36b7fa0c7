import type { OverviewAnswer } from '../../api.ts'
import { DaysChart } from '../charts/days-chart.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'

/** Spend by day, and what a day costs on average. */
export function DaysCard({ overview }: { overview: Pick<OverviewAnswer, 'byDay' | 'sum'> }) {
  const { spend } = words.value
  const { byDay } = overview
  const sum = byDay.reduce((before, day) => before + BigInt(day.amountMicroRub), 0n)
  const average = byDay.length === 0 ? 0n : sum / BigInt(byDay.length)
  return (
    <TitledCard
      title={spend.byDay}
      class="wide"
      action={<span class="hint num">{spend.average(formatMoney(average))}</span>}
    >
      <DaysChart days={byDay} />
    </TitledCard>
  )
}
