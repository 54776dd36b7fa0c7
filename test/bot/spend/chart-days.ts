import type { ChartDay, SpendChart } from '../../../src/bot/spend/spend-chart.ts'
import type { ChargeKind } from '../../../src/platform/database/generated/enums.ts'

const KIND_NAMES: SpendChart['kindNames'] = {
  answer: 'Answers',
  retry: 'Asked again',
  summary: 'Summaries',
  video: 'Videos',
  image: 'Pictures',
  sound: 'Sounds',
}

/** The last 30 days, with so many roubles of each kind on the days where the function names some. */
export function daysWith(
  spentOn: (index: number) => Partial<Record<ChargeKind, number>>,
): ChartDay[] {
  return Array.from({ length: 30 }, (_, index) => {
    const spent = Object.entries(spentOn(index)) as [ChargeKind, number][]
    return {
      day: new Date(Date.UTC(2026, 9, 24 + index)).toISOString().slice(0, 10),
      byKind: new Map(spent.map(([kind, rub]) => [kind, BigInt(Math.round(rub * 1e6))])),
    }
  })
}

export function chartOf(days: readonly ChartDay[], other: Partial<SpendChart> = {}): SpendChart {
  return {
    language: 'en',
    title: 'Your spend, last 30 days',
    emptyText: 'No spend',
    days,
    kindNames: KIND_NAMES,
    ...other,
  }
}
