import { formatRub } from '../../../src/contract/money.ts'

/** A request that is charged otherwise than its model billed it, and why nobody can know better. */
export interface Estimate {
  name: string
  reason: string
  billedMicroRub: bigint
  chargedMicroRub: bigint
}

/** What a model billed, what was charged for it, and each request of which that is not the same. */
export interface BillsReport {
  requests: number
  billedMicroRub: bigint
  chargedMicroRub: bigint
  estimates: readonly Estimate[]
}

/** Writes the sums of a report, and those of each reason, in roubles. */
export function describeBills(report: BillsReport): string {
  const { requests, billedMicroRub, chargedMicroRub, estimates } = report
  const sums = describeSums({ billedMicroRub, chargedMicroRub, estimates })
  const ofReasons = byReason(report).map(([reason, those]) => {
    const billed = sum(those, (one) => one.billedMicroRub)
    const charged = sum(those, (one) => one.chargedMicroRub)
    const part = { billedMicroRub: billed, chargedMicroRub: charged, estimates: those }
    return `  ${those.length} × ${reason}: ${describeSums(part)}\n`
  })
  return [`${requests} requests: ${sums}\n`, ...ofReasons].join('')
}

/** Writes a line for each estimate of a report. */
export function listEstimates(report: BillsReport): string {
  const ordered = byReason(report).flatMap(([, those]) => those)
  const lines = ordered.map(
    ({ name, reason, billedMicroRub, chargedMicroRub }) =>
      `  ${name}: ${formatRub(billedMicroRub)} billed, ${formatRub(chargedMicroRub)} charged: ${reason}\n`,
  )
  return lines.join('')
}

function byReason({ estimates }: BillsReport): [string, Estimate[]][] {
  return [...Map.groupBy(estimates, ({ reason }) => reason)].sort()
}

function describeSums({
  billedMicroRub,
  chargedMicroRub,
  estimates,
}: Omit<BillsReport, 'requests'>): string {
  const above = sum(estimates, (one) => atLeastNothing(one.chargedMicroRub - one.billedMicroRub))
  const below = sum(estimates, (one) => atLeastNothing(one.billedMicroRub - one.chargedMicroRub))
  return `${formatRub(billedMicroRub)} RUB billed, ${formatRub(chargedMicroRub)} charged, ${formatRub(above)} above, ${formatRub(below)} below`
}

function sum(estimates: readonly Estimate[], toMicroRub: (one: Estimate) => bigint): bigint {
  return estimates.reduce((total, one) => total + toMicroRub(one), 0n)
}

function atLeastNothing(microRub: bigint): bigint {
  return microRub > 0n ? microRub : 0n
}
