import type { BotSetup } from '../bot-setup.ts'

/**
 * Has the database refuse every change of a turn's state but that it is asked, or another kind of change.
 *
 * @param code By default that of one which is shutting down.
 * @param when Which rows' changes, in SQL of OLD and NEW.
 * @returns Has it take them again.
 */
export async function refuseTurnChanges(
  { database: { pool } }: BotSetup,
  { code = '57P03', change = 'UPDATE OF state', when = "NEW.state <> 'streaming'" } = {},
): Promise<() => Promise<void>> {
  await pool.query(`
    CREATE FUNCTION bot.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'not now' USING ERRCODE = '${code}';
    END $$;
    CREATE TRIGGER refuse_changes BEFORE ${change} ON bot.turn
      FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION bot.refuse()`)
  return async () => void (await pool.query('DROP TRIGGER refuse_changes ON bot.turn'))
}
