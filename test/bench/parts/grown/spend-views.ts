import type pg from 'pg'
import { spendersView } from '../../../../src/bot/commands/viewers/spend/spenders-view.ts'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { type ReportSpan, SPANS } from '../../../../src/bot/spend/reports/span.ts'
import type { SpendReports } from '../../../../src/bot/spend/reports/spend-reports.ts'
import { percentile } from '../../measuring/percentiles.ts'
import type { Row, Table } from '../../report/table.ts'

const TIMES = 9
/** More than the runs after which PostgreSQL settles on a plan for a statement. */
const WARM_UP_TIMES = 6
const GOAL_MS = 200
const SEARCH = 'ser 77'

/** Measures the views of spend that admins see first: from the request to the text or the answer. */
export async function measureSpendViews(reports: SpendReports, pool: pg.Pool): Promise<Table> {
  const rows: Row[] = []
  for (const span of SPANS) {
    await compareWithRows(reports, pool, span)
    for (const [name, view] of Object.entries(viewsOf(reports, span))) {
      const samples: number[] = []
      for (let time = 1 - WARM_UP_TIMES; time <= TIMES; time += 1) {
        const startedAt = performance.now()
        await view()
        if (time > 0) samples.push(performance.now() - startedAt)
      }
      rows.push({
        name: `${span}: ${name}`,
        unit: 'ms',
        digits: 1,
        values: { Kopeck: [percentile(samples, 0.5)] },
        goals: [{ is: 'at most', value: GOAL_MS }],
      })
    }
  }
  return {
    title: 'What admins see of all that was spent',
    says: `Median of ${TIMES} times after ${WARM_UP_TIMES} to warm up. Each sum equals that of the charges.`,
    columns: ['Kopeck'],
    rows,
  }
}

function viewsOf(reports: SpendReports, span: ReportSpan) {
  const texts = createTexts()
  const reader = {
    t: (key: string, variables = {}) => texts.t('en', key, variables),
    user: { id: 1, firstName: 'Bench', languageCode: 'en' },
    isAdmin: true,
  }
  const view = { span, page: 0 }
  return {
    '/spend': async () => spendersView(await reports.spenders({ span }), [], view, reader),
    'overview of the page': () => reports.overview({ span }),
    'overview of a user': () => reports.overview({ span, userId: 1777 }),
    search: () => reports.users({ span, search: SEARCH, skip: 0, take: 20 }),
  }
}

/** @throws {Error} If a report is not what the charges themselves come to. */
async function compareWithRows(
  reports: SpendReports,
  pool: pg.Pool,
  span: ReportSpan,
): Promise<void> {
  const { sum, byDay, from, to } = await reports.overview({ span })
  const { rows } = await pool.query<{ amount: string | null }>(
    'SELECT sum(amount_micro_rub) AS amount FROM bot.charge WHERE day BETWEEN $1 AND $2',
    [from ?? '-infinity', to],
  )
  const ofDays = byDay.reduce((total, { amountMicroRub }) => total + amountMicroRub, 0n)
  const amounts = new Set([sum.amountMicroRub, ofDays, BigInt(rows[0]?.amount ?? 0)])
  if (amounts.size > 1) throw new Error(`The sums of ${span} are wrong`)
}
