import { getEventListeners } from 'node:events'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createDraft, type DraftDeps } from '../../../../../src/bot/talk/reply/draft/draft.ts'
import { type BodySource, toBody } from '../../../../../src/bot/telegram/outbox/body.ts'
import { createRichSupport } from '../../../../../src/bot/telegram/outbox/formatting.ts'
import { type Clock, systemClock } from '../../../../../src/platform/time/clock.ts'
import { createManualClock } from '../../../../platform/time/manual-clock.ts'

const THREAD = {
  chatId: 1,
  threadId: 0,
  format: 'rich' as const,
  maybeDoubleNote: 'may stand above',
}

test('the whole text does not wait for the turn of an edit that shows less', async () => {
  const finals: unknown[] = []
  const interim = Promise.withResolvers<void>()
  const outbox: DraftDeps['outbox'] = {
    send: async ({ chatId }) => ({ chatId, messageId: 7 }),
    // The chat has no room for an interim edit, for as long as this test lasts.
    editInterim: () => {
      interim.resolve()
      return new Promise(() => {})
    },
    edit: async (_target, source) => {
      finals.push(toBody(source))
      return 'shown'
    },
  }
  const { signal } = new AbortController()
  const draft = createDraft(
    {
      outbox,
      clock: systemClock,
      richSupport: createRichSupport(systemClock),
      log: pino({ level: 'silent' }),
      onSending: async () => undefined,
      onShown: async () => {},
      signal,
    },
    THREAD,
  )
  draft.grow('These are a few words')
  await new Promise<void>((done) => setImmediate(done))
  draft.grow('These are a few words more')
  await interim.promise

  await draft.finish({ text: 'These are a few words more.' })

  expect(finals).toEqual([{ markdown: 'These are a few words more.' }])
  // What listens to a signal of the process is kept for as long as that lives.
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the first text waits for a few words, and no longer than 300 ms', async () => {
  const clock = createManualClock()
  const { draft, calls } = openDraft(clock)

  draft.grow('One')
  await clock.run(299)
  expect(calls).toEqual([])
  await clock.run(1)

  expect(calls).toEqual([{ send: 'One' }])
})

test('a first text of a few words goes at once', async () => {
  const clock = createManualClock()
  const { draft, calls } = openDraft(clock)

  draft.grow('One')
  draft.grow('One two three four five')
  await clock.run(0)

  expect(calls).toEqual([{ send: 'One two three four five' }])
})

test('an answer that is whole while its first text waits takes one call', async () => {
  const clock = createManualClock()
  const { draft, calls } = openDraft(clock)
  draft.grow('One')
  await clock.run(100)

  await draft.finish({ text: 'One two' })

  expect(calls).toEqual([{ send: 'One two' }])
})

function openDraft(clock: Clock) {
  const calls: Record<string, string>[] = []
  const textOf = (source: BodySource) => {
    const body = toBody(source)
    return 'markdown' in body ? body.markdown : body.text
  }
  const outbox: DraftDeps['outbox'] = {
    send: async (message) => {
      calls.push({ send: textOf(message) })
      return { chatId: 1, messageId: 7 }
    },
    editInterim: async (_target, source) => {
      calls.push({ editInterim: textOf(source) })
      return 'shown'
    },
    edit: async (_target, source) => {
      calls.push({ edit: textOf(source) })
      return 'shown'
    },
  }
  const draft = createDraft(
    {
      outbox,
      clock,
      richSupport: createRichSupport(clock),
      log: pino({ level: 'silent' }),
      onSending: async () => undefined,
      onShown: async () => {},
      signal: new AbortController().signal,
    },
    THREAD,
  )
  return { draft, calls }
}
