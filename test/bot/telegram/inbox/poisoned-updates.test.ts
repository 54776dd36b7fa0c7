import { beforeEach, expect, test } from 'vitest'
import { createFastClock } from '../../../platform/time/fast-clock.ts'
import { ANNA, createInboxSetup, type InboxSetup } from './inbox-setup.ts'

const SET_ASIDE = 'update set aside: the database cannot take it'
const clock = createFastClock(100)

let setup: InboxSetup

beforeEach(async () => {
  setup = await createInboxSetup()
})

async function poison(table: string, column: string): Promise<void> {
  await setup.database.pool.query(`
    CREATE SEQUENCE bot.refusals;
    CREATE FUNCTION bot.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.${column}::text LIKE '%Poison%' THEN
        PERFORM nextval('bot.refusals');
        RAISE EXCEPTION 'unsupported Unicode escape sequence' USING ERRCODE = '22P05';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION bot.refuse()`)
}

async function countRefusals(): Promise<number> {
  const { rows } = await setup.database.pool.query('SELECT last_value::int FROM bot.refusals')
  return rows[0]?.last_value
}

test('an update whose data the database refuses five times is set aside, and those with it and after it are handled', async () => {
  await poison('bot.update', 'payload')
  for (const text of ['/before', '/Poison', '/beside']) {
    setup.playground.userSends({ userId: ANNA, text })
  }
  const { handled, logged } = await setup.start({ clock })
  await setup.waitUntil(() => handled.includes('/beside'))
  setup.playground.userSends({ userId: ANNA, text: '/after' })
  await setup.waitUntil(() => handled.includes('/after'))

  expect(handled).toEqual(['/before', '/beside', '/after'])
  // All of the batch five times, and once more alone.
  expect(await countRefusals()).toBe(6)
  expect(logged.filter((message) => message === SET_ASIDE)).toHaveLength(1)
})

test('an update that the database cannot take while it is away is tried until it is back', async () => {
  await poison('bot.update', 'payload')
  await setup.database.pool.query(
    `CREATE OR REPLACE FUNCTION bot.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF nextval('bot.refusals') < 9 THEN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END IF;
       RETURN NEW;
     END $$`,
  )
  const { handled, logged } = await setup.start({ clock })
  setup.playground.userSends({ userId: ANNA, text: '/kept' })
  await setup.waitUntil(() => handled.length === 1)

  expect(handled).toEqual(['/kept'])
  expect(logged).not.toContain(SET_ASIDE)
})
