import type pg from 'pg'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'

/** A ledger with a lane of its own, and the statements that it has begun: what each does, and of how many. */
export function openLedger(sql: Sql) {
  const statements: string[] = []
  const query = ((config: pg.QueryConfig, values: unknown[]) => {
    statements.push(describe(config))
    return sql.query(config, values)
  }) as Sql['query']
  return { statements, ledger: withLane({ query }) }
}

/** One hold is `hold`, three are `hold 3`; those of several kinds are a `batch`. */
function describe(config: pg.QueryConfig): string {
  const kind = (config.name ?? '').replace(/^ledger-/, '')
  return isBatch(config) ? `${kind} ${countOperations(config)}` : kind
}

/** Checks whether a statement is made of several operations of a ledger. */
export function isBatch(config: pg.QueryConfig): boolean {
  return countOperations(config) > 1
}

function countOperations({ name, values }: pg.QueryConfig): number {
  return name?.startsWith('ledger-') ? JSON.parse(values?.[0]).length : 0
}
