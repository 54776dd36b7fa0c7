import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { spendersView } from '../../src/bot/commands/viewers/spend/spenders-view.ts'
import { createTexts } from '../../src/bot/locales/texts.ts'
import { createCalendar } from '../../src/bot/spend/calendar.ts'
import { checkSums } from '../../src/bot/spend/check/check-sums.ts'
import { rebuildSums } from '../../src/bot/spend/check/rebuild-sums.ts'
import { writeChargesCsv } from '../../src/bot/spend/reports/charges-csv.ts'
import { type ReportSpan, SPANS } from '../../src/bot/spend/reports/span.ts'
import { createSpendReports, type SpendReports } from '../../src/bot/spend/reports/spend-reports.ts'
import { openDatabase } from '../../src/database/database.ts'
import { openPrisma } from '../../src/database/prisma.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { percentile } from './percentiles.ts'
import { forgetPeakRss, readProcessFigures } from './process-figures.ts'
import { CHARGES, seedCharges, USERS } from './spend-seed.ts'

const ROUNDS = 15
/** More than the runs after which PostgreSQL settles on a plan for a statement. */
const WARM_UP_ROUNDS = 6
const GOAL_MS = 200
const SEARCH = 'ser 77'
const MIB = 2 ** 20

/** What admins see first, of a million charges: from the request to the text or the answer. */
export const spendBench: BenchPart = {
  title: `spend: ${CHARGES} charges of ${USERS} users in a year`,
  run,
}

async function run({ database, signal, progress }: BenchContext): Promise<string> {
  const { pool, close } = openDatabase({ url: await database.create() })
  const prisma = openPrisma(pool)
  try {
    progress('spend: seed')
    await seedCharges(pool)
    progress('spend: make the sums')
    const rebuildMs = await timed(() => rebuildSums(prisma))
    // In the order of time, as they come to stand when charges are written.
    await pool.query('CLUSTER bot.spend_day USING spend_day_day_idx')
    await pool.query('VACUUM ANALYZE')
    const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
    const reports = createSpendReports({ prisma, calendar })
    const rows: string[] = []
    for (const span of SPANS) {
      signal.throwIfAborted()
      progress(`spend: ${span}`)
      await compareWithRows(reports, pool, span)
      rows.push(await measureViews(reports, span))
    }
    progress('spend: check the sums')
    const checkMs = await timed(async () => {
      const { differenceCount } = await checkSums(prisma)
      if (differenceCount > 0) throw new Error('The sums are not what the charges add up to')
    })
    progress('spend: files')
    const files = [await measureFile(reports, '30d'), await measureFile(reports, 'all')]
    return [toTable(rows), toFileTable(files), describeCheck({ checkMs, rebuildMs })].join('\n\n')
  } finally {
    await prisma.$disconnect()
    await close()
  }
}

/** @throws {Error} If a report is not what the charges themselves come to. */
async function compareWithRows(
  reports: SpendReports,
  pool: pg.Pool,
  span: ReportSpan,
): Promise<void> {
  const { sum, byDay, from, to } = await reports.overview({ span })
  const { rows } = await pool.query<{ amount: string }>(
    'SELECT sum(amount_micro_rub) AS amount FROM bot.charge WHERE day BETWEEN $1 AND $2',
    [from ?? '-infinity', to],
  )
  const ofDays = byDay.reduce((total, { amountMicroRub }) => total + amountMicroRub, 0n)
  const amounts = new Set([sum.amountMicroRub, ofDays, BigInt(rows[0]?.amount ?? -1)])
  if (amounts.size > 1) throw new Error(`The sums of ${span} are wrong`)
}

async function measureViews(reports: SpendReports, span: ReportSpan): Promise<string> {
  const texts = createTexts()
  const reader = {
    t: (key: string, variables = {}) => texts.t('en', key, variables),
    user: { id: 1, firstName: 'Bench', languageCode: 'en' },
    isAdmin: true,
  }
  const place = { span, page: 0 }
  const views = [
    async () => void spendersView(await reports.spenders({ span }), place, reader),
    () => reports.overview({ span }),
    () => reports.overview({ span, userId: 1777 }),
    () => reports.users({ span, search: SEARCH, skip: 0, take: 20 }),
  ]
  const cells = []
  for (const view of views) {
    const samples: number[] = []
    for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round += 1) {
      const ms = await timed(view)
      if (round > 0) samples.push(ms)
    }
    cells.push(`${percentile(samples, 0.5).toFixed(0)} (${percentile(samples, 1).toFixed(0)})`)
  }
  return `| ${[span, ...cells].join(' | ')} |`
}

/** Reads a file as Telegram takes it: piece by piece, and waits between them. */
async function measureFile(reports: SpendReports, span: ReportSpan): Promise<string> {
  const range = await reports.dates(span)
  await forgetPeakRss(process.pid)
  const { rssBytes: base } = await readProcessFigures(process.pid)
  let bytes = 0
  const ms = await timed(async () => {
    for await (const piece of writeChargesCsv(reports.charges({ range }), { languageCode: 'en' })) {
      bytes += piece.byteLength
      await delay(0)
    }
  })
  const { peakRssBytes } = await readProcessFigures(process.pid)
  const cells = [
    span,
    (bytes / MIB).toFixed(1),
    (ms / 1000).toFixed(1),
    ((peakRssBytes - base) / MIB).toFixed(0),
  ]
  return `| ${cells.join(' | ')} |`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function toTable(rows: readonly string[]): string {
  return [
    '| span | /spend, ms | overview of the page, ms | a user’s, ms | a search, ms |',
    '| :--- | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
    `Median of ${ROUNDS} (the worst one), after ${WARM_UP_ROUNDS} to warm up. Goal: ${GOAL_MS} ms. Each sum equals that of the charges.`,
  ].join('\n')
}

function toFileTable(rows: readonly string[]): string {
  return [
    '| CSV of | MiB | s | peak of memory above what was there before, MiB |',
    '| :--- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

function describeCheck({ checkMs, rebuildMs }: { checkMs: number; rebuildMs: number }): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return `\`npm run spend -- check\`: ${seconds(checkMs)}, nothing differs. All sums made anew: ${seconds(rebuildMs)}.`
}
