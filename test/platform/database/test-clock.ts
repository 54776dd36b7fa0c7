import pg from 'pg'

/** The time of one test database. It runs as everywhere, until the test moves or stops it. */
export interface TestClock {
  advance(ms: number): Promise<void>
  stopAt(instant: Date): Promise<void>
}

/**
 * Gives a test the time of its database: `now()` and `clock_timestamp()` without a schema are moved, on
 * every connection that is opened after this.
 *
 * Not moved: CURRENT_TIMESTAMP; defaults of columns, which keep the functions that they were made with;
 * what Prisma fills in itself for `@default(now())`; a connection that sets its own search_path.
 */
export async function createTestClock(url: string): Promise<TestClock> {
  const database = new URL(url).pathname.slice(1)
  await query(
    url,
    `CREATE SCHEMA test_clock;
     CREATE TABLE test_clock.clock AS SELECT interval '0' AS shift, NULL::timestamptz AS stopped_at;
     CREATE FUNCTION test_clock.now() RETURNS timestamptz STABLE LANGUAGE sql AS
       'SELECT coalesce(stopped_at, pg_catalog.now() + shift) FROM test_clock.clock';
     CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
       'SELECT coalesce(stopped_at, pg_catalog.clock_timestamp() + shift) FROM test_clock.clock';
     ALTER DATABASE ${database} SET search_path = test_clock, pg_catalog, public`,
  )
  return {
    advance: (ms) =>
      query(
        url,
        `UPDATE test_clock.clock SET shift = shift + $1 * interval '1 ms',
           stopped_at = stopped_at + $1 * interval '1 ms'`,
        [ms],
      ),
    stopAt: (instant) => query(url, 'UPDATE test_clock.clock SET stopped_at = $1', [instant]),
  }
}

async function query(url: string, sql: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql, values)
  } finally {
    await client.end()
  }
}
