import type { ClientBase, Pool } from 'pg'

/** Moves every limit's past back, as if so much time had gone by. */
export async function letTimePass(pool: Pool, ms: number): Promise<void> {
  await pool.query(
    `UPDATE service.rate_limit SET accepted_at = ARRAY(
       SELECT instant - $1::int * interval '1 ms'
       FROM unnest(accepted_at) WITH ORDINALITY AS past (instant, index) ORDER BY index)`,
    [ms],
  )
  await pool.query(`UPDATE service.task SET polled_at = polled_at - $1::int * interval '1 ms'`, [
    ms,
  ])
}

/** Has each minute be over as soon as a request was accepted in it: for tests that limits would stop. */
export async function letMinutesFly(sql: Pool | ClientBase): Promise<void> {
  await sql.query(`
    CREATE FUNCTION service.let_minutes_fly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.accepted_at = '{}';
      NEW.accepted_total = NULL;
      RETURN NEW;
    END $$;
    CREATE TRIGGER let_minutes_fly BEFORE INSERT OR UPDATE ON service.rate_limit
      FOR EACH ROW EXECUTE FUNCTION service.let_minutes_fly()`)
}
