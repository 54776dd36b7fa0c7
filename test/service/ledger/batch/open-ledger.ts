import type pg from 'pg'
import { withLane } from '../../../../src/service/ledger/batch/lane.ts'
import type { Sql } from '../../../../src/service/ledger/sql.ts'

/** A ledger with a lane of its own, and the names of the statements that it has begun. */
export function openLedger(sql: Sql) {
  const statements: string[] = []
  const query = ((config: pg.QueryConfig, values: unknown[]) => {
    statements.push(config.name ?? '')
    return sql.query(config, values)
  }) as Sql['query']
  return { statements, ledger: withLane({ query }) }
}
