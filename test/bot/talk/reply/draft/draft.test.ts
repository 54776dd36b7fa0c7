import { getEventListeners } from 'node:events'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createDraft, type DraftDeps } from '../../../../../src/bot/talk/reply/draft/draft.ts'
import { createRichSupport } from '../../../../../src/bot/telegram/outbox/formatting.ts'
import { systemClock } from '../../../../../src/platform/time/clock.ts'

const THREAD = { chatId: 1, threadId: 0, maybeDoubleNote: 'may stand above' }

test('the whole text does not wait for the turn of an edit that shows less', async () => {
  const finals: unknown[] = []
  const interim = Promise.withResolvers<void>()
  const outbox: DraftDeps['outbox'] = {
    send: async ({ chatId }) => ({ chatId, messageId: 7 }),
    draft: async () => 'unsupported',
    // The chat has no room for an interim edit, for as long as this test lasts.
    editInterim: () => {
      interim.resolve()
      return new Promise(() => {})
    },
    edit: async (_target, text) => {
      finals.push(text)
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
      onFrame: async () => {},
      signal,
    },
    THREAD,
  )
  draft.grow('One')
  draft.grow('One two')
  await new Promise<void>((done) => setImmediate(done))
  draft.grow('One two three')
  await interim.promise

  await draft.finish({ text: 'One two three four' })

  expect(finals).toEqual([{ markdown: 'One two three four' }])
  // What listens to a signal of the process is kept for as long as that lives.
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
