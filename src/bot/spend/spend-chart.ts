import type { ChargeKind } from '../../platform/database/generated/enums.ts'
import type { Language } from '../texts/texts.ts'

/** The kinds of spend, in the order in which bars are stacked. */
export const CHART_KINDS = [
  'answer',
  'retry',
  'summary',
  'video',
  'image',
  'sound',
] as const satisfies ChargeKind[]

/** A picture of spend as data: all that its worker gets. Its words are in the language. */
export interface SpendChart {
  language: Language
  title: string
  emptyText: string
  /** One for each day, also where nothing was spent. */
  days: readonly ChartDay[]
  kindNames: Readonly<Record<ChargeKind, string>>
  users?: ChartUsers | undefined
}

export interface ChartDay {
  /** Such as "2026-11-22". */
  day: string
  byKind: ReadonlyMap<ChargeKind, bigint>
}

export interface ChartUsers {
  title: string
  /** The user who spent most comes first; last, the others together. */
  rows: readonly { name: string; amountMicroRub: bigint }[]
}

/** Adds up the spend of one day. */
export function sumDay({ byKind }: ChartDay): bigint {
  return sum([...byKind.values()])
}

/** Adds up each kind; those that were never charged are left out. */
export function sumKinds({ days }: Pick<SpendChart, 'days'>) {
  return CHART_KINDS.map((kind) => {
    const amounts = days.flatMap(({ byKind }) => byKind.get(kind) ?? [])
    return {
      kind,
      isCharged: amounts.some((amount) => amount !== 0n),
      amountMicroRub: sum(amounts),
    }
  }).filter(({ isCharged }) => isCharged)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
