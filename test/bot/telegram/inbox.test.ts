import type { Update } from 'grammy/types'
import { beforeEach, expect, test } from 'vitest'
import { SettingRefusedError } from '../../../src/bot/telegram/errors.ts'
import { threadKeyOf } from '../../../src/bot/telegram/inbox.ts'
import { createFastClock } from '../../platform/time/fast-clock.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, createInboxSetup, type InboxSetup, messageUpdate } from './inbox-setup.ts'

const GATE = 4711

let setup: InboxSetup

beforeEach(async () => {
  setup = await createInboxSetup()
})

test('an update is stored before it is confirmed, and of a handled one only ids are kept', async () => {
  const gate = Promise.withResolvers<void>()
  const { inbox, handled } = await setup.start({ onText: () => gate.promise })
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  await setup.playground.waitFor(() => polls().length >= 2)

  expect(await setup.unhandledTexts()).toEqual(['one'])
  await setup.waitUntil(() => handled.length === 1)
  gate.resolve()
  await inbox.stop(5000)

  expect(handled).toEqual(['one'])
  expect(await setup.unhandledTexts()).toEqual([])
  const kept = await setup.database.prisma.update.findMany()
  const message = { message_id: expect.any(Number) }
  expect(kept).toMatchObject([{ payload: { message }, handledAt: expect.any(Date) }])
})

test('an update that comes again after it was handled is not handled again', async () => {
  const { inbox, handled } = await setup.start({ delivery: 'webhook' })
  await inbox.receive(messageUpdate(1, '/one'))
  await inbox.receive(messageUpdate(1, '/one'))
  await setup.waitUntil(() => handled.length === 1)
  await inbox.receive(messageUpdate(1, '/one'))
  await inbox.receive(messageUpdate(2, '/two'))
  await setup.waitUntil(() => handled.includes('/two'))

  expect(handled).toEqual(['/one', '/two'])
})

test('an update with characters that PostgreSQL has no room for is stored without them', async () => {
  const { inbox, handled } = await setup.start({ delivery: 'webhook' })

  await inbox.receive(messageUpdate(1, '/a\0b \\u0000 \ud83d'))
  await setup.waitUntil(() => handled.length === 1)

  expect(handled).toEqual(['/ab \\u0000 \ufffd'])
})

test('an update whose handler found the database away is handled again, before the next one', async () => {
  let tries = 0
  const { handled, logged } = await setup.start({
    clock: createFastClock(100),
    onText: async (text) => {
      if (text === 'one' && ++tries < 4) throw new Error('Connection terminated unexpectedly')
    },
  })
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await setup.waitUntil(() => handled.includes('two'))

  expect(handled).toEqual(['one', 'one', 'one', 'one', 'two'])
  expect(logged).not.toContain('update failed')
})

test('an update whose handler throws three times is set aside, its user learns it, and the next one is handled', async () => {
  const { inbox, handled, setAside, facts } = await setup.start({
    clock: createFastClock(100),
    onText: async (text) => {
      if (text === 'bad') throw new Error('Cannot do it')
    },
  })
  setup.playground.userSends({ userId: ANNA, text: 'bad' })
  setup.playground.userSends({ userId: ANNA, text: 'good' })
  await setup.waitUntil(() => handled.includes('good'))
  await inbox.stop(5000)

  expect(handled).toEqual(['bad', 'bad', 'bad', 'good'])
  expect(facts.map(({ isFirst }) => isFirst)).toEqual([true, false, false, true])
  expect(setAside).toEqual(['bad'])
  expect(await setup.unhandledTexts()).toEqual([])
})

test('an update whose storing was not confirmed is handled once', async () => {
  const { pool } = setup.database
  await pool.query(`
    CREATE FUNCTION bot.wait_for_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${GATE});
      RETURN NEW;
    END $$;
    CREATE TRIGGER wait_for_gate AFTER INSERT ON bot.update
      FOR EACH ROW EXECUTE FUNCTION bot.wait_for_gate()`)
  const gate = await pool.connect()
  await gate.query(`SELECT pg_advisory_lock(${GATE})`)
  const { handled, breakConnections } = await setup.start()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  await expect.poll(() => waitingFor('advisory')).toBe(1)

  breakConnections()
  // It is stored again, which waits for the first statement.
  await expect.poll(() => waitingFor('transactionid')).toBe(1)
  await gate.query(`SELECT pg_advisory_unlock(${GATE})`)
  gate.release()
  await setup.waitUntil(() => handled.length === 1)
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await setup.waitUntil(() => handled.length === 2)

  expect(handled).toEqual(['one', 'two'])

  async function waitingFor(lock: string): Promise<number> {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = $1 AND query LIKE '%INSERT INTO bot.update %'`,
      [lock],
    )
    return rows.length
  }
})

test('an update that is being handled holds up neither other chats nor a /stop', async () => {
  const gate = Promise.withResolvers<void>()
  setup.playground.addUser({ id: 102, firstName: 'Boris' })
  const { handled } = await setup.start({
    onText: async (text) => {
      if (text === 'long') await gate.promise
    },
  })
  for (const text of ['long', 'next', '/stop']) {
    setup.playground.userSends({ userId: ANNA, text })
  }
  setup.playground.userSends({ userId: 102, text: 'other' })
  await setup.waitUntil(() => handled.length === 3)
  expect(handled.toSorted()).toEqual(['/stop', 'long', 'other'])

  gate.resolve()
  await setup.waitUntil(() => handled.at(-1) === 'next')
})

test('presses on one message are handled one after the other, beside the messages of their chat', async () => {
  const gate = Promise.withResolvers<void>()
  const { inbox, handled } = await setup.start({
    delivery: 'webhook',
    onText: () => gate.promise,
  })
  await inbox.receive(messageUpdate(1, '/long'))
  for (const [id, messageId, data] of [
    [2, 50, 'Retry'],
    [3, 50, 'Retry again'],
    [4, 51, 'Stop'],
  ] as const) {
    const { message, ...update } = messageUpdate(id, data)
    const pressed = { ...message, message_id: messageId }
    await inbox.receive({ ...update, callback_query: { id: '1', data, message: pressed } as never })
  }
  await setup.waitUntil(() => handled.length === 3)
  expect(handled).toEqual(['/long', 'Retry', 'Stop'])

  gate.resolve()
  await setup.waitUntil(() => handled.at(-1) === 'Retry again')
})

test('a message that was edited before it is handled is handled as it is then', async () => {
  const gate = Promise.withResolvers<void>()
  const { handled } = await setup.start({ onText: () => gate.promise })
  setup.playground.userSends({ userId: ANNA, text: '/first' })
  await setup.waitUntil(() => handled.length === 1)
  const { message_id: messageId } = setup.playground.userSends({ userId: ANNA, text: 'before' })
  setup.playground.userEdits({ userId: ANNA, messageId, text: 'after' })
  await expect.poll(() => setup.database.prisma.update.count()).toBe(3)
  gate.resolve()
  await setup.waitUntil(() => handled.length === 3)

  expect(handled).toEqual(['/first', 'after', 'after'])
})

test('start() handles what the last run left first, in the order it was sent, though ids begin again', async () => {
  const now = Math.floor(Date.now() / 1000)
  const first = await setup.start({ delivery: 'webhook', isActive: false })
  await first.inbox.receive(messageUpdate(900, '/left 1', { date: now - 30 }))
  await first.inbox.receive(messageUpdate(901, '/left 2', { date: now - 20 }))
  await first.inbox.receive(messageUpdate(5, '/left 3', { date: now - 10 }))
  setup.playground.userSends({ userId: ANNA, text: '/new' })

  const { inbox, handled, facts } = await setup.start()
  await setup.waitUntil(() => handled.length === 4)
  await inbox.stop(5000)

  expect(handled).toEqual(['/left 1', '/left 2', '/left 3', '/new'])
  expect(facts.map(({ isFirst }) => isFirst)).toEqual([false, false, false, true])
})

test('the inbox fails with a clear error when Telegram refuses the token', async () => {
  setup.playground.fault({ kind: 'unauthorized', method: 'getUpdates' })

  const { inbox } = await setup.start()

  await expect(inbox.whenFailed).rejects.toBeInstanceOf(SettingRefusedError)
})

test('fetching waits ever longer after conflicts, server errors and lost connections', async () => {
  const clock = createManualClock()
  for (const kind of ['conflict', '500', 'html', 'dropBefore'] as const) {
    setup.playground.fault({ kind, method: 'getUpdates' })
  }
  setup.playground.fault({ kind: '429', retryAfter: 7, method: 'getUpdates' })
  const { handled } = await setup.start({ clock })
  setup.playground.userSends({ userId: ANNA, text: 'hello' })

  for (const [index, delayMs] of [500, 1000, 2000, 4000, 7000].entries()) {
    await setup.playground.waitFor(() => polls()[index]?.status !== undefined)
    await clock.untilAsleep()
    clock.advance(delayMs - 1)
    expect(polls()).toHaveLength(index + 1)
    clock.advance(1)
  }
  await setup.waitUntil(() => handled.length === 1)

  expect(handled).toEqual(['hello'])
})

test('stop() lets a running handler finish and takes nothing new', async () => {
  const gate = Promise.withResolvers<void>()
  const { inbox, handled } = await setup.start({ onText: () => gate.promise })
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  await setup.waitUntil(() => handled.length === 1)

  const stopping = inbox.stop(5000)
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  gate.resolve()
  await stopping

  expect(handled).toEqual(['one'])
  expect(await setup.unhandledTexts()).toEqual([])
})

test('stop() aborts a handler that needs too long and leaves its update to others', async () => {
  const { inbox, handled } = await setup.start({
    onText: (_text, running) => untilAborted(running.aborted),
  })
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  await setup.waitUntil(() => handled.length === 1)

  await inbox.stop(0)

  expect(await setup.unhandledTexts()).toEqual(['one'])
})

function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

function polls() {
  return setup.playground.calls.filter(({ method }) => method === 'getUpdates')
}

const SET_ASIDE = 'update set aside'
const clock = createFastClock(100)

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

test('an update whose data the database refuses is set aside, and those with it and after it are handled', async () => {
  await poison('bot.update', 'payload')
  for (const text of ['/before', '/Poison', '/beside']) {
    setup.playground.userSends({ userId: ANNA, text })
  }
  const { handled, setAside } = await setup.start({ clock })
  await setup.waitUntil(() => handled.includes('/beside'))
  setup.playground.userSends({ userId: ANNA, text: '/after' })
  await setup.waitUntil(() => handled.includes('/after'))

  expect(handled).toEqual(['/before', '/beside', '/after'])
  expect(setAside).toEqual(['/Poison'])
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

const { message } = messageUpdate(1, 'hello', { chatId: 7, date: 100 })

test.each<[string, object, string | null]>([
  ['a message', { message }, '7 0'],
  [
    'a message in a topic',
    { message: { ...message, message_thread_id: 3, is_topic_message: true } },
    '7 3',
  ],
  ['an answer in an ordinary group', { message: { ...message, message_thread_id: 3 } }, '7 0'],
  ['an edit', { edited_message: { ...message, edit_date: 101 } }, '7 0'],
  ['/stop', { message: { ...message, text: '/stop@bot now' } }, null],
  ['a button', { callback_query: { message, data: 'stop' } }, null],
])('the thread of %s is %s', (_what, content, key) => {
  expect(threadKeyOf({ update_id: 1, ...content } as Update)).toBe(key)
})
