import type { CompletionEvent } from '../../../contract/client/completion-stream.ts'
import { hasCode } from '../../../contract/client/service-error.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { isCounted } from '../../queue/rate-limit.ts'
import type { QueueTicket } from '../../queue/service-queue.ts'

/** A turn that the service refuses for so long ends with the refusal. */
const QUEUE_MS_MAX = 6 * 3600_000

export interface AskInQueueDeps {
  ticket: QueueTicket
  /** Makes the request when it is first read; throws a 429 at once. */
  ask: () => AsyncGenerator<CompletionEvent, void>
  onRefused: () => Promise<void>
  clock: Clock
}

/**
 * Asks the service when the turn has come, and again while it takes no more.
 *
 * @yields The events of a completion.
 */
export async function* askInQueue({
  ticket,
  ask,
  onRefused,
  clock,
}: AskInQueueDeps): AsyncGenerator<CompletionEvent, void> {
  const joinedAt = clock.now()
  for (;;) {
    await ticket.letThrough()
    const events = ask()
    let first: IteratorResult<CompletionEvent, void>
    try {
      first = await events.next()
    } catch (error) {
      if (!hasCode(error, 'rate_limited') || clock.now() - joinedAt > QUEUE_MS_MAX) {
        if (!isCounted(error)) ticket.uncounted()
        throw error
      }
      await onRefused()
      ticket.refused(error.retryAfterMs)
      continue
    }
    ticket.accepted()
    try {
      if (!first.done) yield first.value
      yield* events
    } finally {
      await events.return()
    }
    return
  }
}
