import type { Pool } from 'pg'

const TRACE = `
  CREATE TABLE public.update_trace (at timestamptz, writer text, state jsonb);
  CREATE FUNCTION public.trace_update() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.update_trace
      VALUES (clock_timestamp(), current_setting('application_name') || ' ' || inet_client_port(), to_jsonb(NEW));
      RETURN NULL;
    END $$;
  CREATE TRIGGER trace_update AFTER INSERT OR UPDATE ON bot."update"
    FOR EACH ROW EXECUTE FUNCTION public.trace_update()`

const STATES = `
  SELECT at, writer, state - 'payload' AS state FROM public.update_trace
  WHERE state -> 'id' IN (
    SELECT state -> 'id' FROM public.update_trace
    WHERE (state #>> '{payload,message,chat,id}')::bigint = $1
      AND (state #>> '{payload,message,message_id}')::int = $2)
  ORDER BY at`

/** Begins to keep them. A message without a turn is found too late to ask for anything else. */
export async function traceUpdates(pool: Pool): Promise<void> {
  await pool.query(TRACE)
}

/** Reads what became of a message's update, a line for each of its states. */
export async function readUpdateTrace(
  pool: Pool,
  { chatId, messageId }: { chatId: number; messageId: number },
): Promise<string> {
  const { rows } = await pool.query(STATES, [chatId, messageId])
  return rows.map((row) => JSON.stringify(row)).join('\n')
}
