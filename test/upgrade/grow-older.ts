import pg from 'pg'
import { type Growth, growDatabase } from '../growth/grow-database.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'

/** The columns of each table, and those that may not be null. */
const COLUMNS = `
  SELECT format('%I.%I', table_schema, table_name) AS table, array_agg(quote_ident(column_name)) AS columns,
    coalesce(array_agg(quote_ident(column_name)) FILTER (WHERE is_nullable = 'NO'), '{}') AS needed
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema IN ('bot', 'service') AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
  GROUP BY 1 ORDER BY 1`

interface Table {
  table: string
  columns: string[]
  needed: string[]
}

/**
 * Fills the database of an older version with what `growDatabase()` makes: what writes that knows this version's columns
 * only, so the tables are copied, as far as the older version can have them. A file of the server's carries each.
 */
export async function growOlder(url: string, growth: Growth): Promise<void> {
  const grown = openTestDatabase({ url: await createTestDatabase() })
  const older = new pg.Client({ connectionString: url })
  try {
    await growDatabase(grown, growth)
    await older.connect()
    const { rows: settings } = await older.query('SHOW data_directory')
    const file = `${settings[0]?.data_directory}/copied`
    const { rows: known } = await grown.pool.query<Table>(COLUMNS)
    const { rows } = await older.query<Table>(COLUMNS)
    // Every row that is named is there.
    await older.query('SET session_replication_role = replica')
    for (const { table, columns, needed } of rows) {
      const { columns: there = [] } = known.find((other) => other.table === table) ?? {}
      const shared = columns.filter((column) => there.includes(column))
      if (shared.length === 0) continue
      const isPossible = shared
        .filter((column) => needed.includes(column))
        .map((column) => `${column} IS NOT NULL`)
      const names = shared.join(', ')
      const possible = `SELECT ${names} FROM ${table} WHERE ${['true', ...isPossible].join(' AND ')}`
      await grown.pool.query(`COPY (${possible}) TO '${file}'`)
      await older.query(`DELETE FROM ${table}`)
      await older.query(`COPY ${table} (${names}) FROM '${file}'`)
    }
    await older.query('ANALYZE')
  } finally {
    await older.end()
    await grown.close()
  }
}
