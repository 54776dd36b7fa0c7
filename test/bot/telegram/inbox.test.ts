import type { Update } from 'grammy/types'
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createInbox, type Inbox, NotHandledError } from '../../../src/bot/telegram/inbox.ts'
import { TokenRefusedError } from '../../../src/bot/telegram/keep-trying.ts'
import { createStoredUpdates } from '../../../src/bot/telegram/stored-updates.ts'
import { createPlayground, type Playground } from '../../../src/playground/playground.ts'
import { openTestDatabase, type TestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'
import { createManualClock } from './manual-clock.ts'

const ANNA = 101
const silent = pino({ level: 'silent' })

let database: TestDatabase
let playground: Playground
let apiRoot: string

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase(), connectionsMax: 5 })
  playground = createPlayground({ flood: 'off' })
  playground.addUser({ id: ANNA, firstName: 'Anna' })
  apiRoot = (await playground.listen()).apiRoot
  return async () => {
    await playground.close()
    await database.close()
  }
})

describe('an update', () => {
  test('is stored before it is confirmed and deleted once handled', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = start(() => gate.promise)
    playground.userSends({ userId: ANNA, text: 'one' })
    await playground.waitFor(() => polls().length >= 2)

    expect(await storedTexts()).toEqual(['one'])
    gate.resolve()
    await inbox.stop(5000)

    expect(handled).toEqual(['one'])
    expect(await storedTexts()).toEqual([])
  })

  test('is asked for by name', async () => {
    const { inbox } = start(async () => {})
    await playground.waitFor(() => polls().length >= 1)
    await inbox.stop(5000)

    expect(polls()[0]?.params.allowed_updates).toBe(
      '["message","edited_message","callback_query","stopped_message_generation","my_chat_member"]',
    )
  })

  test('that is stored already is not handed out a second time', async () => {
    const update: Update = playgroundUpdate('one')
    const stored = createStoredUpdates(database.pool)

    expect(await stored.add([update])).toEqual([update])
    expect(await stored.add([update, playgroundUpdate('two', 2)])).toEqual([
      playgroundUpdate('two', 2),
    ])
  })

  test('with characters that PostgreSQL has no room for is stored without them', async () => {
    const stored = createStoredUpdates(database.pool)

    await stored.add([playgroundUpdate('a\0b \\u0000 \ud83d')])

    expect(await storedTexts()).toEqual(['ab \\u0000 \ufffd'])
  })

  test('whose handler threw is deleted, and the next one is handled', async () => {
    const { inbox, handled } = start(async (text) => {
      if (text === 'bad') throw new Error('Cannot do it')
    })
    playground.userSends({ userId: ANNA, text: 'bad' })
    playground.userSends({ userId: ANNA, text: 'good' })
    await waitUntil(() => handled.includes('good'))
    await inbox.stop(5000)

    expect(handled).toEqual(['bad', 'good'])
    expect(await storedTexts()).toEqual([])
  })
})

describe('start()', () => {
  test('hands out what the last run left first, in the order it came', async () => {
    const stored = createStoredUpdates(database.pool)
    await stored.add([playgroundUpdate('left 1', 900), playgroundUpdate('left 2', 901)])
    await stored.add([playgroundUpdate('left 3', 5)])
    playground.userSends({ userId: ANNA, text: 'new' })

    const { inbox, handled } = start(async () => {})
    await waitUntil(() => handled.length === 4)
    await inbox.stop(5000)

    expect(handled).toEqual(['left 1', 'left 2', 'left 3', 'new'])
  })

  test('ends with a clear error when Telegram refuses the token', async () => {
    playground.fault({ kind: 'unauthorized', method: 'getUpdates' })

    const { inbox } = start(async () => {})

    await expect(inbox.whenFailed).rejects.toBeInstanceOf(TokenRefusedError)
  })

  test('waits ever longer after conflicts, server errors and lost connections', async () => {
    const clock = createManualClock()
    for (const kind of ['conflict', '500', 'html', 'dropBefore'] as const) {
      playground.fault({ kind, method: 'getUpdates' })
    }
    playground.fault({ kind: '429', retryAfter: 7, method: 'getUpdates' })
    const { handled } = start(async () => {}, clock)
    playground.userSends({ userId: ANNA, text: 'hello' })

    for (const [index, delayMs] of [500, 1000, 2000, 4000, 7000].entries()) {
      await playground.waitFor(() => polls()[index]?.status !== undefined)
      await clock.untilAsleep()
      clock.advance(delayMs - 1)
      expect(polls()).toHaveLength(index + 1)
      clock.advance(1)
    }
    await waitUntil(() => handled.length === 1)

    expect(handled).toEqual(['hello'])
  })
})

describe('stop()', () => {
  test('lets a running handler finish and takes nothing new', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = start(() => gate.promise)
    playground.userSends({ userId: ANNA, text: 'one' })
    await waitUntil(() => handled.length === 1)

    const stopping = inbox.stop(5000)
    playground.userSends({ userId: ANNA, text: 'two' })
    gate.resolve()
    await stopping

    expect(handled).toEqual(['one'])
    expect(await storedTexts()).toEqual([])
  })

  test('aborts a handler that needs too long and keeps its update', async () => {
    const { inbox, handled } = start((_text, running) => untilAborted(running.aborted))
    playground.userSends({ userId: ANNA, text: 'one' })
    await waitUntil(() => handled.length === 1)

    await inbox.stop(0)

    expect(await storedTexts()).toEqual(['one'])
  })

  test('keeps the update of a handler that did not begin', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = start(async () => {
      await gate.promise
      throw new NotHandledError()
    })
    playground.userSends({ userId: ANNA, text: 'one' })
    await waitUntil(() => handled.length === 1)

    const stopping = inbox.stop(5000)
    gate.resolve()
    await stopping

    expect(await storedTexts()).toEqual(['one'])
  })
})

function start(
  onText: (text: string, inbox: Inbox) => Promise<void>,
  clock = undefined as ReturnType<typeof createManualClock> | undefined,
) {
  const handled: string[] = []
  const inbox: Inbox = createInbox({
    api: createTelegramApi({ token: playground.token, apiRoot }),
    stored: createStoredUpdates(database.pool),
    log: silent,
    handle: async ({ message }) => {
      handled.push(message?.text ?? '')
      watchers.forEach((check) => void check())
      await onText(message?.text ?? '', inbox)
    },
    ...(clock && { clock }),
  })
  inbox.start()
  onTestFinished(() => inbox.stop(0))
  return { inbox, handled }
}

const watchers = new Set<() => void>()

/** Looks again at every update that reaches the handler. */
async function waitUntil(look: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => look() && resolve()
  watchers.add(check)
  check()
  await promise
  watchers.delete(check)
}

function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

function polls() {
  return playground.calls.filter(({ method }) => method === 'getUpdates')
}

async function storedTexts(): Promise<(string | undefined)[]> {
  const { rows } = await database.pool.query<{ payload: Update }>(
    'SELECT payload FROM bot.update ORDER BY received_at, id',
  )
  return rows.map(({ payload }) => payload.message?.text)
}

function playgroundUpdate(text: string, updateId = 1): Update {
  const person = { id: ANNA, first_name: 'Anna' }
  return {
    update_id: updateId,
    message: {
      message_id: updateId,
      date: 1_700_000_000,
      chat: { ...person, type: 'private' },
      from: { ...person, is_bot: false },
      text,
    },
  }
}
