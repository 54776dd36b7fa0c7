import type pg from 'pg'
import { expect } from 'vitest'
import type { Report } from './client.ts'

const MINUTE_MS = 60_000
/** Requests a minute of one account (interface document, Limits). */
const LIMITS = {
  '/chats/completions': 30,
  '/videos/vidgen-generate': 3,
  '/images/imagegen-generate': 3,
  '/sounds/soundgen-generate': 3,
}

/** Outcomes that came before the limits counted the request, or after which it is unknown if it came. */
const UNCOUNTED = ['401', '404', '415', '422', '429', 'left', 'cut', 'down']
/** A creation is refused so before it is counted; a chat after its estimate was held. */
const UNCOUNTED_CREATIONS = [...UNCOUNTED, '502', '503']

// What was withdrawn was not taken, and has a row of another moment. A row's time is that of its statement's
// beginning, a limit's is taken after a wait: 59 s are inside of a minute.
const ABOVE_LIMIT = `
  SELECT account_id, route, within_minute FROM (
    SELECT account_id, route, count(*) OVER (PARTITION BY account_id, route ORDER BY created_at
      RANGE BETWEEN '59 s' PRECEDING AND CURRENT ROW) AS within_minute
    FROM (SELECT account_id, 'chat' AS route, created_at FROM service.request
          WHERE end_reason IS DISTINCT FROM 'withdrawn'
          UNION ALL SELECT account_id, endpoint, created_at FROM service.task) AS taken
  ) AS counted
  WHERE within_minute > CASE route WHEN 'chat' THEN 30 ELSE 3 END`

/** No account got more than a minute allows, at both processes together: by what was taken, and by what was answered. */
export async function checkLimits(sql: pg.Pool, reports: readonly Report[]) {
  const above = await sql.query(ABOVE_LIMIT)
  expect(above.rows).toEqual([])
  checkAnswers(reports)
}

function checkAnswers(reports: readonly Report[]) {
  const created = new Set<number>()
  for (const [path, limit] of Object.entries(LIMITS)) {
    const uncounted = path === '/chats/completions' ? UNCOUNTED : UNCOUNTED_CREATIONS
    const through = reports.filter(
      (report) =>
        report.planned.path === path && !uncounted.includes(report.outcome) && !isRepeat(report),
    )
    for (const ofAccount of Map.groupBy(through, ({ planned }) => planned.account).values()) {
      const bySending = ofAccount.toSorted((one, other) => one.sentAt - other.sentAt)
      for (const [index, first] of bySending.entries()) {
        // Counted somewhere between sending and the end: these are in one minute wherever it was.
        const within = bySending
          .slice(index)
          .filter(({ endedAt }) => endedAt < first.sentAt + MINUTE_MS)
        expect(within.length, `${path} of account ${first.planned.account}`).toBeLessThanOrEqual(
          limit,
        )
      }
    }
  }

  /** The second that got the task of a key: it counts towards nothing. */
  function isRepeat({ planned, outcome }: Report): boolean {
    if (!planned.isTwice || outcome !== '200') return false
    return created.size === created.add(planned.index).size
  }
}
