import { getEventListeners } from 'node:events'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createDraft, type DraftDeps } from '../../../../../src/bot/talk/reply/draft/draft.ts'
import { toBody } from '../../../../../src/bot/telegram/outbox/body.ts'
import { createRichSupport } from '../../../../../src/bot/telegram/outbox/formatting.ts'
import { systemClock } from '../../../../../src/platform/time/clock.ts'

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
