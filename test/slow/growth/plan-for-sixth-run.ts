/**
 * Loaded into the program by `--import`: carries out each named statement by the plan that its sixth run on a
 * connection has.
 *
 * PostgreSQL plans the first five runs of a prepared statement for their values, and later ones for no values in
 * particular where that seems to cost no more. So each statement is prepared and planned five times, with the values
 * of its first run, before that run. Planning carries nothing out, and serves statements that write as well.
 */
import { createRequire } from 'node:module'
import pg from 'pg'

const RUNS_BEFORE = 5

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js')
const { query } = pg.Client.prototype
const planned = new WeakMap<pg.Client, Set<string>>()

interface NamedStatement {
  name: string
  text: string
  values?: unknown[]
}

pg.Client.prototype.query = function planThenQuery(this: pg.Client, ...args: unknown[]) {
  const [statement, values] = args
  if (isNamed(statement)) {
    const names = planned.get(this) ?? new Set()
    if (!names.has(statement.name)) {
      const given = Array.isArray(values) ? values : (statement.values ?? [])
      Reflect.apply(query, this, [planRuns(statement, given)])
    }
    planned.set(this, names.add(statement.name))
  }
  return Reflect.apply(query, this, args)
} as typeof query

function isNamed(statement: unknown): statement is NamedStatement {
  return Boolean((statement as Partial<NamedStatement> | undefined)?.name)
}

/** Prepares a statement and binds values to it, which plans it, without running it. */
function planRuns({ name, text }: NamedStatement, values: unknown[]) {
  return {
    name,
    text,
    submit(connection: pg.Connection) {
      connection.parse({ name, text, types: [] }, false)
      for (let run = 0; run < RUNS_BEFORE; run++) {
        connection.bind(
          { statement: name, values, valueMapper: prepareValue } as pg.BindConfig,
          false,
        )
      }
      connection.sync()
    },
    // Where it fails the run itself does, and reports it.
    handleError() {},
    handleReadyForQuery() {},
  }
}
