import { beforeEach, describe, expect, test } from 'vitest'
import { SettingRefusedError } from '../../../src/bot/telegram/errors.ts'
import { NotHandledError } from '../../../src/bot/telegram/inbox.ts'
import { createManualClock } from '../../manual-clock.ts'
import { ANNA, createInboxStage, type InboxStage, messageUpdate } from './inbox-stage.ts'

let stage: InboxStage

beforeEach(async () => {
  stage = await createInboxStage()
})

describe('an update', () => {
  test('is stored before it is confirmed, and of a handled one only its id is kept', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = await stage.start({ onText: () => gate.promise })
    stage.playground.userSends({ userId: ANNA, text: 'one' })
    await stage.playground.waitFor(() => polls().length >= 2)

    expect(await stage.unhandledTexts()).toEqual(['one'])
    await stage.waitUntil(() => handled.length === 1)
    gate.resolve()
    await inbox.stop(5000)

    expect(handled).toEqual(['one'])
    expect(await stage.unhandledTexts()).toEqual([])
    const kept = await stage.database.prisma.update.findMany()
    expect(kept).toMatchObject([{ payload: null, owner: null, handledAt: expect.any(Date) }])
  })

  test('is asked for by name', async () => {
    const { inbox } = await stage.start()
    await stage.playground.waitFor(() => polls().length >= 1)
    await inbox.stop(5000)

    expect(polls()[0]?.params.allowed_updates).toBe(
      '["message","edited_message","callback_query","stopped_message_generation"]',
    )
  })

  test('that comes again after it was handled is not handled again', async () => {
    const { inbox, handled } = await stage.start({ delivery: 'webhook' })
    await inbox.receive(messageUpdate(1, '/one'))
    await inbox.receive(messageUpdate(1, '/one'))
    await stage.waitUntil(() => handled.length === 1)
    await inbox.receive(messageUpdate(1, '/one'))
    await inbox.receive(messageUpdate(2, '/two'))
    await stage.waitUntil(() => handled.includes('/two'))

    expect(handled).toEqual(['/one', '/two'])
  })

  test('with characters that PostgreSQL has no room for is stored without them', async () => {
    const { inbox, handled } = await stage.start({ delivery: 'webhook' })

    await inbox.receive(messageUpdate(1, '/a\0b \\u0000 \ud83d'))
    await stage.waitUntil(() => handled.length === 1)

    expect(handled).toEqual(['/ab \\u0000 \ufffd'])
  })

  test('whose handler threw counts as handled, and the next one is', async () => {
    const { inbox, handled } = await stage.start({
      onText: async (text) => {
        if (text === 'bad') throw new Error('Cannot do it')
      },
    })
    stage.playground.userSends({ userId: ANNA, text: 'bad' })
    stage.playground.userSends({ userId: ANNA, text: 'good' })
    await stage.waitUntil(() => handled.includes('good'))
    await inbox.stop(5000)

    expect(handled).toEqual(['bad', 'good'])
    expect(await stage.unhandledTexts()).toEqual([])
  })

  test('sent more than an hour before it is taken up is late', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { inbox, facts } = await stage.start({ delivery: 'webhook' })
    await inbox.receive(messageUpdate(1, '/old', { date: now - 3700 }))
    await inbox.receive(messageUpdate(2, '/new', { date: now - 3500 }))
    await stage.waitUntil(() => facts.length === 2)

    expect(facts).toEqual([{ isLate: true }, { isLate: false }])
  })
})

describe('a line', () => {
  test('goes on when its update has passed, before that one is settled', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = await stage.start({
      onText: async (text) => (text === 'one' ? { settled: gate.promise } : {}),
    })
    stage.playground.userSends({ userId: ANNA, text: 'one' })
    stage.playground.userSends({ userId: ANNA, text: 'two' })
    await stage.waitUntil(() => handled.length === 2)

    expect(await stage.unhandledTexts()).toContain('one')
    gate.resolve()
    await inbox.stop(5000)
    expect(await stage.unhandledTexts()).toEqual([])
  })

  test('holds up neither other chats nor a /stop', async () => {
    const gate = Promise.withResolvers<void>()
    stage.playground.addUser({ id: 102, firstName: 'Boris' })
    const { handled } = await stage.start({
      onText: async (text) => {
        if (text === 'long') await gate.promise
      },
    })
    for (const text of ['long', 'next', '/stop']) {
      stage.playground.userSends({ userId: ANNA, text })
    }
    stage.playground.userSends({ userId: 102, text: 'other' })
    await stage.waitUntil(() => handled.length === 3)
    expect(handled.toSorted()).toEqual(['/stop', 'long', 'other'])

    gate.resolve()
    await stage.waitUntil(() => handled.at(-1) === 'next')
  })
})

describe('start()', () => {
  test('hands out what the last run left first, in the order it was sent, though ids begin anew', async () => {
    const now = Math.floor(Date.now() / 1000)
    const first = await stage.start({
      delivery: 'webhook',
      onText: (_text, { stopping }) => untilAborted(stopping),
    })
    await first.inbox.receive(messageUpdate(900, '/left 1', { date: now - 30 }))
    await first.inbox.receive(messageUpdate(901, '/left 2', { date: now - 20 }))
    await first.inbox.receive(messageUpdate(5, '/left 3', { date: now - 10 }))
    await first.inbox.stop(5000)
    stage.playground.userSends({ userId: ANNA, text: '/new' })

    const { inbox, handled } = await stage.start()
    await stage.waitUntil(() => handled.length === 4)
    await inbox.stop(5000)

    expect(handled).toEqual(['/left 1', '/left 2', '/left 3', '/new'])
  })

  test('ends with a clear error when Telegram refuses the token', async () => {
    stage.playground.fault({ kind: 'unauthorized', method: 'getUpdates' })

    const { inbox } = await stage.start()

    await expect(inbox.whenFailed).rejects.toBeInstanceOf(SettingRefusedError)
  })

  test('waits ever longer after conflicts, server errors and lost connections', async () => {
    const clock = createManualClock()
    for (const kind of ['conflict', '500', 'html', 'dropBefore'] as const) {
      stage.playground.fault({ kind, method: 'getUpdates' })
    }
    stage.playground.fault({ kind: '429', retryAfter: 7, method: 'getUpdates' })
    const { handled } = await stage.start({ clock })
    stage.playground.userSends({ userId: ANNA, text: 'hello' })

    for (const [index, delayMs] of [500, 1000, 2000, 4000, 7000].entries()) {
      await stage.playground.waitFor(() => polls()[index]?.status !== undefined)
      await clock.untilAsleep()
      clock.advance(delayMs - 1)
      expect(polls()).toHaveLength(index + 1)
      clock.advance(1)
    }
    await stage.waitUntil(() => handled.length === 1)

    expect(handled).toEqual(['hello'])
  })
})

describe('stop()', () => {
  test('lets a running handler finish and takes nothing new', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = await stage.start({ onText: () => gate.promise })
    stage.playground.userSends({ userId: ANNA, text: 'one' })
    await stage.waitUntil(() => handled.length === 1)

    const stopping = inbox.stop(5000)
    stage.playground.userSends({ userId: ANNA, text: 'two' })
    gate.resolve()
    await stopping

    expect(handled).toEqual(['one'])
    expect(await stage.unhandledTexts()).toEqual([])
  })

  test('aborts a handler that needs too long and leaves its update to others', async () => {
    const { inbox, handled } = await stage.start({
      onText: (_text, running) => untilAborted(running.aborted),
    })
    stage.playground.userSends({ userId: ANNA, text: 'one' })
    await stage.waitUntil(() => handled.length === 1)

    await inbox.stop(0)

    expect(await stage.database.prisma.update.findMany()).toMatchObject([
      { handledAt: null, owner: null },
    ])
  })

  test('leaves the update of a handler that did not begin', async () => {
    const gate = Promise.withResolvers<void>()
    const { inbox, handled } = await stage.start({
      onText: async () => {
        await gate.promise
        throw new NotHandledError()
      },
    })
    stage.playground.userSends({ userId: ANNA, text: 'one' })
    await stage.waitUntil(() => handled.length === 1)

    const stopping = inbox.stop(5000)
    gate.resolve()
    await stopping

    expect(await stage.unhandledTexts()).toEqual(['one'])
  })
})

function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

function polls() {
  return stage.playground.calls.filter(({ method }) => method === 'getUpdates')
}
