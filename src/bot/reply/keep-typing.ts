import type { Clock } from '../../time/clock.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'

/** Telegram shows it for five seconds. */
const INTERVAL_MS = 4000

/** Shows "typing…" until it is told to end. */
export function keepTyping(
  { chatId, threadId }: ChatThread,
  { outbox, clock }: { outbox: Pick<Outbox, 'typing'>; clock: Clock },
): { end(): void } {
  const ended = new AbortController()
  void show()
  return { end }

  /** Called with every delta: an abort makes an exception, also the hundredth. */
  function end(): void {
    if (!ended.signal.aborted) ended.abort()
  }

  async function show(): Promise<void> {
    while (!ended.signal.aborted) {
      await outbox.typing(chatId, threadId)
      // Being ended is what the sleep is aborted for.
      await clock.sleep(INTERVAL_MS, ended.signal).catch(() => {})
    }
  }
}
