import { setTimeout as delay } from 'node:timers/promises'
import { checkSums } from '../../../../src/bot/spend/check/check-sums.ts'
import { writeChargesCsv } from '../../../../src/bot/spend/reports/charges-csv.ts'
import type { ReportSpan } from '../../../../src/bot/spend/reports/span.ts'
import type { SpendReports } from '../../../../src/bot/spend/reports/spend-reports.ts'
import type { PrismaClient } from '../../../../src/platform/database/generated/client.ts'
import { forgetPeakRss, readProcessFigures } from '../../measuring/process-figures.ts'
import type { Row, Table } from '../../report/table.ts'

const MIB = 2 ** 20

/** Measures what goes through all charges: files for admins, and the check of the sums. */
export async function measureSpendFiles(
  reports: SpendReports,
  prisma: PrismaClient,
): Promise<Table> {
  const rows: Row[] = []
  const add = (name: string, unit: string, digits: number, value: number) =>
    rows.push({ name, unit, digits, values: { Kopeck: [value] } })
  for (const span of ['30d', 'all'] as const) {
    const { mib, seconds, peakMiB } = await measureFile(reports, span)
    add(`CSV of ${span}: its length`, 'MiB', 1, mib)
    add(`CSV of ${span}`, 's', 1, seconds)
    add(`CSV of ${span}: memory above what was there before`, 'MiB', 0, peakMiB)
  }
  const startedAt = performance.now()
  const { differenceCount } = await checkSums(prisma)
  if (differenceCount > 0) throw new Error('The sums are not what the charges add up to')
  add('`npm run spend -- check`', 's', 1, (performance.now() - startedAt) / 1_000)
  return {
    title: 'What goes through all charges',
    says: 'A file is read piece by piece, as Telegram takes it. The check found no difference.',
    columns: ['Kopeck'],
    rows,
  }
}

async function measureFile(reports: SpendReports, span: ReportSpan) {
  const range = await reports.dates(span)
  await forgetPeakRss(process.pid)
  const { rssBytes: base } = await readProcessFigures(process.pid)
  const startedAt = performance.now()
  let bytes = 0
  for await (const piece of writeChargesCsv(reports.charges({ range }), { languageCode: 'en' })) {
    bytes += piece.byteLength
    await delay(0)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const { peakRssBytes } = await readProcessFigures(process.pid)
  return { mib: bytes / MIB, seconds, peakMiB: (peakRssBytes - base) / MIB }
}
