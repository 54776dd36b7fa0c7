import pg from 'pg'

/** The pool, or one connection that is inside a transaction. */
export type Sql = Pick<pg.Pool, 'query'>

/** What a module needs that runs transactions of its own. */
export type Pool = Pick<pg.Pool, 'query' | 'connect'>

/** Runs statements in one transaction: all of them happen, or none. */
export async function inTransaction<T>(pool: Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  // The pool listens only to connections that it has not lent: without a listener one that breaks would end the process.
  client.on('error', onError)
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      // The connection is gone, and PostgreSQL rolls back by itself; the pool must not lend it again.
      broken = rollbackError
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** Locks an account, as every transaction that moves its money does first. */
export async function lockAccount(sql: Sql, accountId: number): Promise<void> {
  const text = 'SELECT FROM service.account WHERE id = $1 FOR UPDATE'
  await sql.query({ name: 'account-lock', text, values: [accountId] })
}

const { INT8 } = pg.types.builtins
const BIGINTS: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format)),
}

/** Returns the rows of a statement with names in camelCase and bigint columns as bigints. A name keeps its plan. */
export async function readRows<T extends object>(
  sql: Sql,
  text: string,
  values: unknown[] = [],
  name?: string,
): Promise<T[]> {
  const query = { text, values, types: BIGINTS, ...(name !== undefined && { name }) }
  const { rows, fields } = await sql.query<T>(query)
  return fields.some((field) => field.name.includes('_')) ? rows.map(toCamelCase) : rows
}

function toCamelCase<T extends object>(row: T): T {
  const fields = Object.entries(row).map(([name, value]) => {
    return [name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value]
  })
  return Object.fromEntries(fields)
}

export async function findRow<T extends object>(
  ...[sql, text, values, name]: Parameters<typeof readRows>
): Promise<T | undefined> {
  return (await readRows<T>(sql, text, values, name))[0]
}

/** Returns the first row of a statement that always has one. */
export async function readRow<T extends object>(
  ...[sql, text, values, name]: Parameters<typeof readRows>
): Promise<T> {
  const row = await findRow<T>(sql, text, values, name)
  if (row === undefined) throw new TypeError('Cannot read row: the statement returned none')
  return row
}

/** Rows that a statement reads from its parameters, an array for each column. */
export class Unnest<T> {
  /** `unnest($1::int[], …) AS asked (account_id, …)` */
  readonly sql: string
  readonly columns: readonly string[]
  readonly #reads: readonly (readonly [type: string, read: (row: T) => unknown])[]

  constructor(columns: Record<string, readonly [type: string, read: (row: T) => unknown]>) {
    this.columns = Object.keys(columns)
    this.#reads = Object.values(columns)
    const arrays = this.#reads.map(([type], index) => `$${index + 1}::${type}[]`)
    this.sql = `unnest(${arrays.join(', ')}) AS asked (${this.columns.join(', ')})`
  }

  valuesOf(rows: readonly T[]): unknown[][] {
    return this.#reads.map(([, read]) => rows.map(read))
  }
}
