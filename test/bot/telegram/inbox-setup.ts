import type { Update } from 'grammy/types'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import type { UpdateFacts } from '../../../src/bot/telegram/handle-update.ts'
import { Inbox } from '../../../src/bot/telegram/inbox.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { createPlayground, type Playground } from '../../../src/playground/playground.ts'
import { endInstance } from '../../platform/database/instance/end-instance.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { openCuttableProxy } from '../cuttable-proxy.ts'

export const ANNA = 101

export interface StartedInbox {
  inbox: Inbox
  handled: string[]
  facts: UpdateFacts[]
  setAside: string[]
  logged: string[]
  /** Breaks every connection to the database; new ones are taken at once. */
  breakConnections(): void
  kill(): Promise<void>
}

export interface InboxOptions {
  onText?: (text: string, inbox: Inbox, facts: UpdateFacts) => Promise<unknown>
  delivery?: 'poll' | 'webhook'
  /** False: it stores updates, and another process handles them. */
  isActive?: boolean
  clock?: Clock
}

/** Telegram, one database, and inboxes of several processes between them. */
export async function createInboxSetup() {
  const url = await createTestDatabase()
  const database: TestDatabase = openTestDatabase({ url, connectionsMax: 3 })
  const begunAt = new Date()
  const playground: Playground = createPlayground({
    flood: 'off',
    // All is sent in one second, however slow the machine.
    clock: { ...systemClock, date: () => begunAt },
  })
  playground.addUser({ id: ANNA, firstName: 'Anna' })
  const { apiRoot } = await playground.listen()
  const watchers = new Set<() => void>()
  onTestFinished(async () => {
    await playground.close()
    await database.close()
  })
  return {
    playground,
    apiRoot,
    database,
    start,
    waitUntil,
    unhandledTexts,
  }

  async function start({
    onText = async () => {},
    delivery = 'poll',
    isActive = true,
    clock,
  }: InboxOptions = {}): Promise<StartedInbox> {
    const proxy = await openCuttableProxy(Number(new URL(url).port))
    const own = new URL(url)
    own.hostname = '127.0.0.1'
    own.port = String(proxy.port)
    const { pool } = openTestDatabase({ url: own.href, connectionsMax: 6, onIdleError: () => {} })
    const instance = await registerInstance({ url: own.href, onError: () => {} })
    const notifications = instance.session
    const logged: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line).msg) })
    const handled: string[] = []
    const facts: UpdateFacts[] = []
    const setAside: string[] = []
    const inbox = new Inbox({
      api: createTelegramApi({ token: playground.token, apiRoot }),
      pool,
      notifications,
      instance,
      delivery,
      log,
      async handle(update) {
        const text = textOf(update)
        const given = inbox.factsOf(update)
        handled.push(text)
        facts.push(given)
        for (const check of watchers) check()
        await onText(text, inbox, given)
      },
      async onSetAside(update) {
        setAside.push(textOf(update))
      },
      ...(clock && { clock }),
    })
    if (isActive) inbox.start()
    onTestFinished(async () => {
      await inbox.stop(0)
      await instance.release()
      await pool.end()
    })
    return { inbox, handled, facts, setAside, logged, breakConnections, kill }

    function breakConnections(): void {
      proxy.cut()
      proxy.mend()
    }

    async function kill(): Promise<void> {
      proxy.cut()
      await endInstance(database.pool, instance)
    }
  }

  /** Looks again at every update that reaches a handler. */
  async function waitUntil(look: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => look() && resolve()
    watchers.add(check)
    check()
    await promise
    watchers.delete(check)
  }

  async function unhandledTexts(): Promise<string[]> {
    const { rows } = await database.pool.query<{ payload: Update }>(
      'SELECT payload FROM bot.update WHERE handled_at IS NULL ORDER BY sent_at, id',
    )
    return rows.map(({ payload }) => textOf(payload))
  }
}

export type InboxSetup = Awaited<ReturnType<typeof createInboxSetup>>

/** A message as Telegram brings it, sent just now. */
export function messageUpdate(
  id: number,
  text: string,
  { chatId = ANNA, date = Math.floor(Date.now() / 1000) }: { chatId?: number; date?: number } = {},
): Update {
  const person = { id: chatId, first_name: 'Anna' }
  return {
    update_id: id,
    message: {
      message_id: id,
      date,
      chat: { ...person, type: 'private' },
      from: { ...person, is_bot: false },
      text,
    },
  }
}

function textOf({ message, edited_message: edited, callback_query: query }: Update): string {
  return (message ?? edited)?.text ?? query?.data ?? ''
}
