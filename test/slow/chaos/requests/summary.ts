import type pg from 'pg'
import type { Report } from './client.ts'

const COUNTS = {
  holds: `SELECT COALESCE(end_state::text, 'held') AS what, count(*)::int FROM service.request GROUP BY 1 ORDER BY 1`,
  tasks: `SELECT endpoint || ' ' || status AS what, count(*)::int FROM service.task GROUP BY 1 ORDER BY 1`,
  callbacks: `
    SELECT state || ' after ' || jsonb_array_length(attempts) AS what, count(*)::int
    FROM service.callback GROUP BY 1 ORDER BY 1`,
  attempts: `
    SELECT number || ' ' || coalesce(status::text, failure) AS what, count(*)::int
    FROM service.callback, jsonb_to_recordset(attempts) AS attempt (number int, status int, failure text)
    GROUP BY 1 ORDER BY 1`,
}

/** Sums up a run, one line for each kind. */
export async function summarize(sql: pg.Pool, reports: readonly Report[]): Promise<string> {
  const byKind = Map.groupBy(reports, ({ planned }) => planned.kind)
  const requests = [...byKind].map(([kind, ofKind]) => {
    const outcomes = [...Map.groupBy(ofKind, ({ outcome }) => outcome)].sort()
    const counts = outcomes.map(([outcome, each]) => `${each.length} × ${outcome}`)
    return `${kind}: ${ofKind.length} (${counts.join(', ')})`
  })
  const tables = await Promise.all(
    Object.entries(COUNTS).map(async ([name, query]) => {
      const { rows } = await sql.query<{ what: string; count: number }>(query)
      return `${name}: ${rows.map(({ what, count }) => `${count} × ${what}`).join(', ')}`
    }),
  )
  return [...requests, ...tables].join('\n')
}
