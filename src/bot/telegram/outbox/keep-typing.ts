import type { Clock } from '../../../platform/time/clock.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import type { SendScheduler } from '../pacing/send-scheduler.ts'

/** An answer that begins sooner needs no sign; and of a burst of questions the last is known by then. */
const TYPING_AFTER_MS = 500
/** Telegram shows "typing…" for five seconds. */
const TYPING_INTERVAL_MS = 4_000

export interface KeepTypingDeps {
  scheduler: Pick<SendScheduler, 'expect'>
  typing: (chatId: number, threadId?: number) => Promise<void>
  clock: Clock
}

/**
 * Shows "typing…" where a text is awaited, from half a second on until `end()` is called because the text is
 * there. Typing takes no call that a text which is awaited anywhere will want.
 */
export function createKeepTyping({ scheduler, typing, clock }: KeepTypingDeps) {
  return keepTyping

  function keepTyping({ chatId, threadId }: ChatThread): { end(): void } {
    const ended = new AbortController()
    const forget = scheduler.expect()
    void show()
    return {
      end: () => {
        // Called with every delta: an abort makes an exception, also the hundredth.
        if (ended.signal.aborted) return
        ended.abort()
        forget()
      },
    }

    async function show(): Promise<void> {
      await pass(TYPING_AFTER_MS)
      while (!ended.signal.aborted) {
        await typing(chatId, threadId)
        await pass(TYPING_INTERVAL_MS)
      }
    }

    async function pass(ms: number): Promise<void> {
      await clock.sleep(ms, ended.signal).catch(() => {})
    }
  }
}
