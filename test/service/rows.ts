import type pg from 'pg'

type Sql = Pick<pg.Pool, 'query'>
type Table = 'account' | 'callback' | 'request' | 'task'

/** PostgreSQL's number for the type bigint. */
const INT8 = 20

/** Reads rows of a table of the service, columns in camel case, `bigint` as BigInt. */
export async function rowsOf(
  sql: Sql,
  table: Table,
  rest = '',
  values: unknown[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: a test names the columns that it reads.
): Promise<Record<string, any>[]> {
  const { rows, fields } = await sql.query(`SELECT * FROM service.${table} ${rest}`, values)
  return rows.map((row) =>
    Object.fromEntries(
      fields.map(({ name, dataTypeID }) => {
        const value = row[name]
        const isBigInt = dataTypeID === INT8 && value !== null
        return [toCamelCase(name), isBigInt ? BigInt(value) : value]
      }),
    ),
  )
}

/** Counts rows of a table of the service. */
export async function countOf(
  sql: Sql,
  table: Table,
  rest = '',
  values: unknown[] = [],
): Promise<number> {
  return (await rowsOf(sql, table, rest, values)).length
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
